import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CliIo } from '../io.ts'
import { openHistory } from './history-file.ts'

function rig(content: string | null) {
  const written: unknown[] = []
  const io = {
    env: { HOME: '/home/someone' },
    readFile: async (path: string) => {
      assert.equal(path, '/home/someone/.local/state/granary/query-history')
      if (content === null) throw new Error('no such file')
      return new TextEncoder().encode(content)
    },
    appendPrivately: async (...given: unknown[]) => void written.push(given),
  } as unknown as CliIo
  return { io, written }
}

test('lines are kept, but for repeated ones and those that begin with a space', async () => {
  const { io, written } = rig('SELECT 1;\n')
  const history = await openHistory(io)
  assert.deepEqual(history.lines, ['SELECT 1;'])
  for (const line of ['SELECT 1;', ' SELECT secret;', '', 'SELECT 2;']) await history.add(line)
  assert.deepEqual(written, [
    [
      '/home/someone/.local/state/granary/query-history',
      { directory: '/home/someone/.local/state/granary', text: 'SELECT 2;\n', replaceBy: null },
    ],
  ])
})

test('a long history is cut, and one that cannot be written is none', async () => {
  const { io, written } = rig(Array.from({ length: 2_001 }, (_, n) => `${n}\n`).join(''))
  const history = await openHistory(io)
  assert.deepEqual([history.lines.length, history.lines.at(-1)], [1_000, '2000'])
  await history.add('x')
  assert.match((written as [[string, { replaceBy: string }]])[0][1].replaceBy, /^1001\n(?:\d+\n)*2000\n$/)
  const full = { ...io, appendPrivately: async () => assert.fail('the disk is full') } as unknown as CliIo
  await (await openHistory(full)).add('y')
  assert.deepEqual((await openHistory({ ...io, env: {} } as unknown as CliIo)).lines, [])
})
