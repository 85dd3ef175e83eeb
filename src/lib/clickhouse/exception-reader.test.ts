import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exceptionBlock } from './exception-block.ts'
import { createExceptionReader } from './exception-reader.ts'

const tag = 'abcdefghijklmnop'
const data = `1\r\n\r\n__exce2\r\n${exceptionBlock('of another answer', 'ponmlkjihgfedcba')}`

function read(text: string, cut: number) {
  const reader = createExceptionReader(tag)
  const bytes = new TextEncoder().encode(text)
  const taken = [bytes.subarray(0, cut), bytes.subarray(cut)].map((piece) => Buffer.from(reader.take(piece)))
  return { reader, got: Buffer.concat(taken).toString() }
}

test('the block is told from the data, wherever the pieces are cut', () => {
  const whole = `${data}${exceptionBlock('Code: 1. ü\nand more', tag)}`
  for (let at = 0; at <= whole.length; at++) {
    const { reader, got } = read(whole, at)
    assert.equal(got, data)
    assert.deepEqual([reader.isWhole, reader.text()], [true, 'Code: 1. ü\nand more'])
  }
})

test('what only looks like a block is data, and half a block is not whole', () => {
  const { reader, got } = read(`${data}\r\n__exc`, 3)
  assert.deepEqual([got, Buffer.from(reader.kept).toString(), reader.hasBegun], [data, '\r\n__exc', false])
  const half = read(`${data}${exceptionBlock('Code: 1', tag)}`.slice(0, -20), 3)
  assert.deepEqual([half.got, half.reader.hasBegun, half.reader.isWhole], [data, true, false])
})
