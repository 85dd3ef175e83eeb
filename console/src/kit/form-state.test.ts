import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../api/api-error.ts'
import { createForm } from './form-state.ts'

const issue = {
  path: ['maxReplicaMemoryGb'],
  code: 'not_multiple' as const,
  message: 'must be a multiple of 4',
}
const refusal = (issues = [issue]) => new ApiError('BAD_REQUEST', 'wrong', { status: 400, issues })

test('a form knows its changes and puts issues on fields until they change', async () => {
  const form = createForm({ name: 'events', max: 48 }, { serverNames: { max: 'maxReplicaMemoryGb' } })
  form.field('name')
  form.field('max').onChange(50)
  assert.deepEqual(form.changes.value, ['max'])
  const isSaved = await form.save(() => Promise.reject(refusal()))
  assert.equal(isSaved, false)
  assert.equal(form.field('max').error, 'must be a multiple of 4')
  assert.deepEqual(form.values.value, { name: 'events', max: 50 })
  assert.equal(form.failures.value, 1)
  form.set('max', 52)
  assert.equal(form.field('max').error, undefined)
  assert.equal(await form.save(() => Promise.resolve()), true)
  form.reset({ name: 'events', max: 52 })
  assert.deepEqual(form.changes.value, [])
})

test('what fits no field is said by the form; checks run before the server is asked', async () => {
  const form = createForm({ name: '' }, { checks: { name: (name) => (name === '' ? 'is missing' : null) } })
  form.field('name').onLeave?.()
  assert.equal(form.field('name').error, 'is missing')
  let asked = 0
  const run = async () => {
    asked += 1
    throw refusal()
  }
  assert.equal(await form.save(run), false)
  assert.equal(asked, 0)
  form.set('name', 'x')
  assert.equal(await form.save(run), false)
  assert.deepEqual(form.messages.value, ['maxReplicaMemoryGb: must be a multiple of 4'])
})
