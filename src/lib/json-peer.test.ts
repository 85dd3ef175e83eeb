import assert from 'node:assert/strict'
import { duplexPair } from 'node:stream'
import { test } from 'node:test'
import { createJsonPeer, PeerError, PeerGone, type PeerMethods } from './json-peer.ts'

function pair(here: PeerMethods, there: PeerMethods) {
  const [a, b] = duplexPair()
  const describe = (error: unknown) => ({ code: (error as { code?: string }).code ?? '' })
  return { one: createJsonPeer(a, here, describe), other: createJsonPeer(b, there, describe), a, b }
}

test('both sides call each other, and answers find their calls in any order', async () => {
  const waiting: (() => void)[] = []
  const { one, other } = pair(
    { double: ({ n }: { n: number }) => 2 * n },
    { slow: (text: string) => new Promise((resolve) => waiting.push(() => resolve(`${text}\nü`))) },
  )
  const calls = [one.call('slow', 'a'), one.call('slow', 'b')]
  assert.equal(await other.call('double', { n: 21 }), 42)
  for (const answer of waiting.reverse()) answer()
  assert.deepEqual(await Promise.all(calls), ['a\nü', 'b\nü'])
})

test('an error of the other side arrives with its detail; an unknown method is one', async () => {
  const fail = () => {
    throw Object.assign(new Error('no such topic'), { code: 'stop' })
  }
  const { one } = pair({}, { fail })
  await assert.rejects(one.call('fail'), (error: unknown) => {
    assert.ok(error instanceof PeerError)
    assert.deepEqual([error.message, error.detail], ['no such topic', { code: 'stop' }])
    return true
  })
  await assert.rejects(one.call('other'), /there is no method other/)
})

test('when the connection ends, calls reject, and what is told is lost without an error', async () => {
  const { one, other } = pair({}, { never: () => new Promise(() => undefined) })
  const call = one.call('never')
  other.close()
  await assert.rejects(call, PeerGone)
  await one.gone
  one.tell('anything')
  await assert.rejects(one.call('never'), PeerGone)
})

test('lines come in any pieces; a line that is no JSON ends the connection', async () => {
  const told: string[] = []
  const { one, b } = pair({ note: (text: string) => void told.push(text) }, {})
  for (const byte of Buffer.from('{"method":"note","params":"é"}\n{"method":"note","params":"2"}\n'))
    b.write(Buffer.from([byte]))
  b.write('nonsense\n')
  await one.gone
  assert.deepEqual(told, ['é', '2'])
})
