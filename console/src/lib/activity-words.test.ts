import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Activity, activityWords } from './activity-words.ts'

const entry = (type: Activity['type'], fields: Partial<Activity> = {}) =>
  ({ type, serviceId: 's-1', resourceId: 's-1', before: {}, after: {}, ...fields }) as Activity
const names = new Map([
  ['s-1', 'events'],
  ['p-1', 'orders'],
])
const text = (activity: Activity) => {
  const { before, name, after } = activityWords(activity, names)
  return [before, name, after].filter(Boolean).join(' ')
}

test('an entry becomes a sentence about its thing', () => {
  assert.equal(text(entry('service_idle')), 'events went to sleep')
  assert.equal(text(entry('service_state', { after: { state: 'degraded' } })), 'events is degraded')
  assert.equal(text(entry('organization_update')), 'The organization was changed')
  assert.equal(text(entry('pipe_stop', { resourceId: 'p-1' })), 'Pipe orders was stopped')
  assert.equal(text(entry('key_create', { resourceId: 'k-1', after: { name: 'ci' } })), 'Key ci was created')
  assert.equal(
    activityWords(entry('pipe_stop', { resourceId: 'p-1' }), names).href,
    '/services/s-1/pipes/p-1',
  )
  assert.equal(activityWords(entry('service_deleted', { serviceId: 'gone' }), names).href, null)
})
