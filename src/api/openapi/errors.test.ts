import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { errorCatalogue } from '../../domain/errors.ts'
import { issueCodes } from '../../domain/issue.ts'
import { createOpenApi } from './document.ts'
import { errorExtras, issueMeanings } from './errors.ts'

const page = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8')

/** `docs/errors.md`, the catalogue and the OpenAPI documents say the same. */
describe('the error catalogue', () => {
  it('is documented row by row, and nothing else is', () => {
    const wanted = Object.entries(errorCatalogue).map(([code, { status, retryable, meaning, remedy }]) => [
      `\`${code}\``,
      String(status),
      retryable ? 'yes' : 'no',
      meaning,
      remedy,
    ])
    assert.deepEqual(rowsUnder('Code', 'Status'), wanted)
  })

  it('is in both OpenAPI documents', () => {
    for (const api of ['management', 'dashboards'] as const) {
      const document = createOpenApi(api, '0.0.0')
      assert.deepEqual(document['x-granary-errors'], errorCatalogue)
    }
    const { Error: error } = createOpenApi('management', '0.0.0').components.schemas
    assert.deepEqual(error?.properties?.['code']?.enum, Object.keys(errorCatalogue))
  })

  it('mentions no code in prose that does not exist', () => {
    const mentioned = [...page.matchAll(/`([A-Z]+(?:_[A-Z]+)*)`/g)].map(([, code]) => code ?? '')
    const unknown = mentioned.filter((code) => !(code in errorCatalogue))
    assert.deepEqual(unknown, [])
  })
})

describe('further fields of errors', () => {
  it('are documented with their code, and nothing else is', () => {
    const wanted = Object.entries(errorExtras).flatMap(([code, fields]) =>
      Object.keys(fields).map((field) => [`\`${code}\``, `\`${field}\``]),
    )
    const found = rowsUnder('Code', 'Field').map((cells) => cells.slice(0, 2))
    assert.deepEqual(found, wanted)
  })
})

describe('the codes of issues', () => {
  it('are documented row by row, and nothing else is', () => {
    const wanted = issueCodes.map((code) => [`\`${code}\``, issueMeanings[code]])
    assert.deepEqual(rowsUnder('Issue code', 'Meaning'), wanted)
  })

  it('are in both OpenAPI documents', () => {
    for (const api of ['management', 'dashboards'] as const) {
      const { Issue: issue } = createOpenApi(api, '0.0.0').components.schemas
      assert.deepEqual(issue?.properties?.['code']?.enum, [...issueCodes])
    }
  })
})

/** The cells of each row of the table whose header begins with these two cells. */
function rowsUnder(first: string, second: string): string[][] {
  const lines = page.split('\n').map(cellsOf)
  const start = lines.findIndex((cells) => cells[0] === first && cells[1] === second)
  assert.ok(start >= 0, `no table with ${first} and ${second}`)
  const rows = lines.slice(start + 2)
  return rows.slice(
    0,
    rows.findIndex((cells) => cells.length === 0),
  )
}

/** Empty for a line that is not a table row. The width of columns does not matter. */
function cellsOf(line: string): string[] {
  if (!line.startsWith('|')) return []
  return line
    .slice(1, line.lastIndexOf('|'))
    .split('|')
    .map((cell) => cell.trim())
}
