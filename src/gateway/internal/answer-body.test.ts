import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AnswerBody } from './answer-body.ts'
import type { QueryError } from './query-error.ts'

const tag = 'abcdefghijklmnop'
const message = 'Code: 395. DB::Exception: in the middle. (FUNCTION_THROW_IF_VALUE_IS_NON_ZERO)\n'
const block = `\r\n__exception__\r\n${tag}\r\n${message}${message.length} ${tag}\r\n__exception__\r\n`

async function read(body: AnswerBody): Promise<{ text: string; error: QueryError | null }> {
  let text = ''
  try {
    for await (const bytes of body) text += bytes
    return { text, error: null }
  } catch (error) {
    return { text, error: error as QueryError }
  }
}

test('the block of an exception is no data, wherever the pieces are cut', async () => {
  const whole = `1\r\n\r\n__exce2\r\n${block}`
  for (let at = 0; at <= whole.length; at++) {
    const body = new AnswerBody()
    body.tag = tag
    body.write(whole.slice(0, at))
    body.write(whole.slice(at))
    body.breakOff()
    const { text, error } = await read(body)
    // Bytes that waited for their reader are lost when the stream fails.
    assert.ok('1\r\n\r\n__exce2\r\n'.startsWith(text), text)
    assert.deepEqual([error?.code, error?.message], [395, message.trim()])
  }
})

test('what only looks like a block is data, and an answer that breaks off fails', async () => {
  const other = block.replaceAll(tag, 'ponmlkjihgfedcba')
  for (const isBroken of [false, true]) {
    const body = new AnswerBody()
    body.tag = tag
    body.write(`${other}\r\n__exc`)
    if (isBroken) body.breakOff()
    else body.end()
    const { text, error } = await read(body)
    if (!isBroken) assert.equal(text, `${other}\r\n__exc`)
    assert.equal(error?.code, isBroken ? 210 : undefined)
  }
})
