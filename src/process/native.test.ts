import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { loadNative } from './native.ts'

test('a library that was loaded stays, whatever is collected', {
  skip: process.platform !== 'linux',
}, async () => {
  const native = loadNative()
  assert.ok(!('missing' in native))
  // A part of every glibc that nothing in Node uses.
  assert.equal(native.preload('libBrokenLocale.so.1'), true)
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  for (let round = 0; round < 3; round += 1) {
    collect()
    await new Promise((resolve) => setImmediate(resolve))
  }
  assert.match(readFileSync('/proc/self/maps', 'utf8'), /libBrokenLocale/)
  assert.equal(native.preload('libdoes-not-exist.so.1'), false)
})
