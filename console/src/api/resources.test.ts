import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { ApiError } from './api-error.ts'
import { createResources, type Pace } from './resources.ts'

const intervals = { fast: 2000, slow: 10_000, still: null }
const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

function rig(load: () => Promise<unknown>) {
  const state = { mayAsk: true, asked: 0 }
  const resources = createResources({
    load: () => {
      state.asked += 1
      return load()
    },
    intervalOf: (pace) => intervals[pace],
    mayAsk: () => state.mayAsk,
    keep: 2,
  })
  return { resources, state }
}

test('readers share one request; the fastest decides the pace; nobody reads, nobody asks', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { resources, state } = rig(async () => ({ state: 'running' }))
  const entry = resources.entry('services.list', {})
  assert.equal(resources.entry('services.list', {}), entry)
  const slow = entry.retain((): Pace => 'slow')
  const fast = entry.retain((): Pace => 'fast')
  await settled()
  assert.equal(state.asked, 1)
  t.mock.timers.tick(2000)
  await settled()
  assert.equal(state.asked, 2)
  state.mayAsk = false
  t.mock.timers.tick(8000)
  await settled()
  assert.equal(state.asked, 2)
  state.mayAsk = true
  slow()
  fast()
  t.mock.timers.tick(60_000)
  await settled()
  assert.equal(state.asked, 2)
})

test('an error keeps the data; equal answers keep the very same object', async () => {
  const answers: (() => unknown)[] = [
    () => ({ n: 1 }),
    () => ({ n: 1 }),
    () => {
      throw new ApiError('UNREACHABLE', 'gone', { status: 0 })
    },
  ]
  const { resources } = rig(async () => answers.shift()?.())
  const entry = resources.entry('services.list', {})
  entry.retain((): Pace => 'still')
  await settled()
  const first = entry.data.value
  await entry.reload()
  assert.equal(entry.data.value, first)
  await entry.reload()
  assert.equal(entry.data.value, first)
  assert.equal(entry.error.value?.code, 'UNREACHABLE')
  assert.equal(entry.isLoading.value, false)
})

test('a change during a request is followed by one more request', async () => {
  const waiting: (() => void)[] = []
  const { resources, state } = rig(
    () => new Promise<unknown>((resolve) => waiting.push(() => resolve(state.asked))),
  )
  const entry = resources.entry('services.list', {})
  entry.retain((): Pace => 'still')
  resources.refresh((one) => one.id === 'services.list')
  resources.refresh()
  waiting.shift()?.()
  await settled()
  assert.equal(state.asked, 2)
  waiting.shift()?.()
  await settled()
  assert.equal(entry.data.value, 2)
})

test('what nobody reads is kept, the newest first', async () => {
  const { resources } = rig(async () => 1)
  const [a, b] = [resources.entry('keys.list', {}), resources.entry('quotas.list', {})]
  resources.entry('services.list', {})
  assert.equal(resources.entry('quotas.list', {}), b)
  assert.notEqual(resources.entry('keys.list', {}), a)
  mock.reset()
})
