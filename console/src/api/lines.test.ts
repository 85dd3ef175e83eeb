import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linesOf } from './lines.ts'

test('lines are whole, however the bytes are cut', async () => {
  const text = '{"a":1}\n\n{"b":"ü"}\r\n{"c":3}'
  const bytes = new TextEncoder().encode(text)
  for (const size of [1, 3, 7, bytes.length]) {
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start(controller) {
        for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size))
        controller.close()
      },
    })
    const items: unknown[] = []
    for await (const item of linesOf(new Response(body))) items.push(item)
    assert.deepEqual(items, [{ a: 1 }, { b: 'ü' }, { c: 3 }])
  }
})
