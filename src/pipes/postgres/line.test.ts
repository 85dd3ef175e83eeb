import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChangesSection } from '../source.ts'
import { startLine } from './line.ts'
import { escapeField } from './texts.ts'

function createSection() {
  const parts: Buffer[] = []
  const section: ChangesSection = {
    rows: 0,
    write: (bytes, start, end) => void parts.push(Buffer.from(bytes.subarray(start, end))),
  }
  return { section, text: () => Buffer.concat(parts).toString('utf8') }
}

test('fields of every length are escaped, and the line ends with version and flag', () => {
  const words = ['', 'a', 'tab\tend\nback\\slash\rmore', 'grün', 'x'.repeat(100), '\b\f\v']
  const lengths = [23, 24, 25, 8_191, 8_192, 8_193, 40_000, 70_000]
  const fields = [...words, ...lengths.flatMap((length) => ['y'.repeat(length), '\\\t'.repeat(length / 2)])]
  const { section, text } = createSection()
  const line = startLine(section)
  for (const field of fields) {
    const bytes = Buffer.from(`before${field}after`)
    line.field(bytes, 6, bytes.length - 5, true)
  }
  line.plain(Buffer.from('\\N'))
  line.finish(123_456_789_012_345n, true)
  const escaped = fields.map((field) => escapeField(Buffer.from(field), 0, Buffer.byteLength(field)))
  assert.equal(text(), `${escaped.map(String).join('\t')}\t\\N\t123456789012345\t1\n`)
  assert.equal(section.rows, 1)
})

test('versions have all their digits, and an id stands at the end', () => {
  for (const version of [0n, 7n, 10n, 9_007_199_254_740_991n, 9_007_199_254_740_993n, 2n ** 64n - 1n]) {
    const { section, text } = createSection()
    startLine(section).finish(version, false, `${version.toString(16)}-1`)
    assert.equal(text(), `${version}\t0\t${version.toString(16)}-1\n`)
  }
})
