import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { errorsOf } from '../operation.ts'
import { isDashboardOperation, operations } from '../operations.ts'
import { createOpenApi } from './document.ts'
import { namedSchemas } from './schemas.ts'
import type { OpenApiDocument, OpenApiOperation } from './types.ts'

const root = new URL('../../../', import.meta.url)
const { version } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { version: string }
const apis = ['management', 'dashboards'] as const

for (const api of apis) {
  const document = createOpenApi(api, version)

  describe(`OpenAPI of ${api}`, () => {
    it('is the one that is checked in', () => {
      const text = readFileSync(new URL(`openapi/${api}.json`, root), 'utf8')
      assert.equal(text, `${JSON.stringify(document, null, 2)}\n`, 'run `npm run openapi`')
    })

    it('is the same text every time', () => {
      assert.equal(JSON.stringify(createOpenApi(api, version)), JSON.stringify(document))
    })

    it('refers only to what is there, and contains only what is referred to', () => {
      const used = new Set(refsIn(document))
      for (const ref of used) assert.notEqual(at(document, ref), undefined, ref)
      for (const kind of ['schemas', 'responses', 'headers'] as const) {
        for (const name of Object.keys(document.components[kind])) {
          assert.ok(used.has(`#/components/${kind}/${name}`), `${kind}/${name} is never used`)
        }
      }
    })

    it('has every operation once, under its path and method', () => {
      const wanted = operations
        .filter(({ id }) => isDashboardOperation(id) === (api === 'dashboards'))
        .map(({ id, method, path }) => `${id} ${method} ${path}`)
      const found = operationsOf(document).map(
        ({ operation, method, path }) => `${operation.operationId} ${method.toUpperCase()} ${path}`,
      )
      assert.deepEqual(found.toSorted(), wanted.toSorted())
    })

    it('declares exactly the parameters that a path has, and those of the query', () => {
      for (const { operation, path } of operationsOf(document)) {
        const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
        const declared = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path')
        assert.deepEqual(
          declared.map(({ name }) => name).toSorted(),
          inPath.toSorted(),
          operation.operationId,
        )
        assert.ok(declared.every(({ required, description }) => required && description !== ''))
      }
      if (api === 'dashboards') return
      const { parameters = [] } = operationOf(document, 'activities.list')
      const query = parameters.filter((parameter) => parameter.in === 'query')
      assert.deepEqual(
        query.map(({ name, required }) => [name, required]),
        [
          ['from_date', false],
          ['to_date', false],
          ['limit', false],
          ['cursor', false],
        ],
      )
    })

    it('shows each operation under a declared tag, with its permission and all of its errors', () => {
      const tags = new Set(document.tags.map(({ name }) => name))
      for (const source of operations.filter(
        ({ id }) => isDashboardOperation(id) === (api === 'dashboards'),
      )) {
        const shown = operationOf(document, source.id)
        assert.ok(shown.tags.length === 1 && shown.tags.every((tag) => tags.has(tag)), source.id)
        assert.equal(shown['x-granary-permission'], source.permission)
        assert.deepEqual(codesOf(document, shown).toSorted(), errorsOf(source).toSorted(), source.id)
      }
    })

    it('gives every value in a request a meaning', () => {
      for (const [name, schema] of Object.entries(document.components.schemas)) {
        for (const [field, { description, $ref, anyOf, properties }] of Object.entries(
          schema.properties ?? {},
        )) {
          // An object may leave the description to its fields.
          if ($ref || anyOf || properties || !name.endsWith('Body')) continue
          assert.ok(description, `${name}.${field} has no description`)
        }
      }
    })
  })
}

describe('OpenAPI', () => {
  it('tells of headers where answers carry them', () => {
    const document = createOpenApi('management', version)
    const headersOf = (id: string) => {
      const answer = operationOf(document, id).responses['200']
      return answer && 'headers' in answer ? Object.keys(answer.headers) : []
    }
    assert.ok(headersOf('backups.list').includes('X-Next-Cursor'))
    assert.ok(!headersOf('backups.get').includes('X-Next-Cursor'))
    assert.ok(headersOf('services.updateScaling').includes('Deprecation'))
    assert.ok(!headersOf('services.updateReplicaScaling').includes('Deprecation'))
    assert.ok(headersOf('services.get').includes('X-RateLimit-Remaining'))
  })

  it('answers text where an operation does', () => {
    const answer = operationOf(createOpenApi('management', version), 'services.metrics').responses['200']
    assert.ok(answer && 'content' in answer)
    assert.deepEqual(Object.keys(answer.content), ['text/plain'])
  })

  it('uses every name that it has for a schema', () => {
    const used = new Set(apis.flatMap((api) => Object.keys(createOpenApi(api, version).components.schemas)))
    assert.deepEqual(
      Object.keys(namedSchemas).filter((name) => !used.has(name)),
      [],
    )
  })
})

function operationsOf(document: OpenApiDocument) {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  )
}

function operationOf(document: OpenApiDocument, id: string): OpenApiOperation {
  const found = operationsOf(document).find(({ operation }) => operation.operationId === id)
  assert.ok(found, `${id} is missing`)
  return found.operation
}

function codesOf(document: OpenApiDocument, operation: OpenApiOperation): string[] {
  return Object.entries(operation.responses).flatMap(([status, response]) => {
    if (!('$ref' in response)) return []
    const { 'x-granary-errors': codes = [] } = at(document, response.$ref) as {
      'x-granary-errors'?: string[]
    }
    for (const code of codes) assert.equal(String(document['x-granary-errors'][code]?.status), status)
    return codes
  })
}

function refsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, part]) =>
    key === '$ref' && typeof part === 'string' ? [part] : refsIn(part),
  )
}

/** Follows a reference within the document; undefined when it leads nowhere. */
function at(document: object, ref: string): unknown {
  assert.ok(ref.startsWith('#/'), ref)
  let value: unknown = document
  for (const part of ref.slice(2).split('/')) value = (value as Record<string, unknown> | undefined)?.[part]
  return value
}
