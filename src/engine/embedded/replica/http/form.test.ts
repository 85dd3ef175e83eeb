import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { EngineError } from '../../engine-error.ts'
import { createForms, maxFormBytes, maxFormsBytes } from './form.ts'

const never = new AbortController().signal
const body = '--b\r\nContent-Disposition: form-data; name="query"\r\n\r\nSELECT 1\r\n--b--\r\n'

/** A request with this Content-Length; null = without one. */
function request(length: number | null): IncomingMessage & PassThrough {
  const told = length === null ? {} : { 'content-length': String(length) }
  const headers = { 'content-type': 'multipart/form-data; boundary=b', ...told }
  return Object.assign(new PassThrough(), { headers, method: 'POST' }) as unknown as IncomingMessage &
    PassThrough
}

test('a form is not taken off its connection before there is memory for it', async () => {
  const forms = createForms()
  const held = []
  for (let bytes = 0; bytes < maxFormsBytes; bytes += maxFormBytes) {
    // A form of unknown length counts with the maximum.
    const one = request(bytes === 0 ? null : maxFormBytes)
    one.end(body)
    held.push(await forms.read(one, never))
  }
  const late = request(maxFormBytes)
  const read = forms.read(late, never)
  late.end(body)
  for (let i = 0; i < 10; i++) await setImmediate()
  assert.equal(late.readableFlowing, null)
  // A form that is no larger than other statements does not wait.
  const small = request(body.length)
  small.end(body)
  const { form } = await forms.read(small, never)
  assert.deepEqual(form.fields, [['query', 'SELECT 1']])
  held[0]?.leave()
  held[0]?.leave()
  assert.deepEqual((await read).form.fields, [['query', 'SELECT 1']])
})

test('memory comes back from forms that fail, and from clients that went away', async () => {
  const forms = createForms()
  for (let i = 0; i < 3 * (maxFormsBytes / maxFormBytes); i++) {
    const broken = request(null)
    broken.end('no form')
    await assert.rejects(
      forms.read(broken, never),
      (error) => error instanceof EngineError && error.code === 36,
    )
  }
  const gone = new AbortController()
  const first = request(null)
  first.end(body)
  const { leave } = await forms.read(first, never)
  for (let bytes = maxFormBytes; bytes < maxFormsBytes; bytes += maxFormBytes) {
    const one = request(null)
    one.end(body)
    await forms.read(one, never)
  }
  const waits = forms.read(request(null), gone.signal)
  gone.abort(new Error('gone'))
  await assert.rejects(waits, /gone/)
  const next = request(null)
  next.end(body)
  leave()
  await forms.read(next, never)
})
