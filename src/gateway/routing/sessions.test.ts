import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSessions, sessionKey } from './sessions.ts'

test('no two sessions share a key, and every key fits into a header', () => {
  const keys = [
    sessionKey('s', 'a', 'b:c'),
    sessionKey('s', 'a:b', 'c'),
    sessionKey('s', 'a', 'b%3Ac'),
    sessionKey('t', 'a', 'b:c'),
    sessionKey('s', 'a', 'b\r\nX-Granary-Access: rw'),
    sessionKey('s', 'a', '\ud800'),
    sessionKey('s', 'ü', 'é'),
  ]
  assert.equal(new Set(keys).size, keys.length)
  for (const key of keys) assert.match(key, /^[\x21-\x7e]+$/)
})

test('the session of a user that was used longest ago is forgotten first', () => {
  const sessions = createSessions()
  const key = (id: string) => sessionKey('s', 'u', id)
  sessions.note(key('a'), 'r1')
  sessions.note(key('b'), 'r2')
  sessions.note(key('a'), 'r1')
  for (let i = 0; i < 999; i++) sessions.note(key(`x${i}`), 'r3')
  assert.equal(sessions.find(key('a')), 'r1')
  assert.equal(sessions.find(key('b')), '')
})

test('a user with many sessions makes nobody else forgotten', () => {
  const sessions = createSessions()
  sessions.note(sessionKey('s', 'calm', 'mine'), 'r1')
  for (let i = 0; i < 20_000; i++) sessions.note(sessionKey('s', 'busy', String(i)), 'r2')
  assert.equal(sessions.find(sessionKey('s', 'calm', 'mine')), 'r1')
  assert.equal(sessions.find(sessionKey('s', 'busy', '0')), '')
  assert.equal(sessions.find(sessionKey('s', 'busy', '19999')), 'r2')
})
