import assert from 'node:assert/strict'
import { test } from 'node:test'
import { curlOf, quoted, withBody } from './call-text.ts'

test('a call is a line of curl with its body, whatever quotes the body has', () => {
  const url = 'http://127.0.0.1:8080/v1/x'
  assert.equal(curlOf({ method: 'GET', url }), `curl -u "$GRANARY_ADMIN_KEY" ${url}`)
  assert.equal(
    curlOf({ method: 'POST', url, body: { name: "it's" } }),
    [
      `curl -u "$GRANARY_ADMIN_KEY" -X POST ${url} \\`,
      "  -H 'content-type: application/json' \\",
      `  -d '{\n  "name": "it'\\''s"\n}'`,
    ].join('\n'),
  )
})

test('words are quoted where a shell would read them otherwise', () => {
  assert.equal(quoted('analytics'), 'analytics')
  assert.equal(quoted('a b'), "'a b'")
  assert.equal(quoted('$HOME'), "'$HOME'")
})

test('a body is read by a command without being quoted', () => {
  assert.equal(
    withBody('granary pipes create x', { a: 1 }),
    `granary pipes create x --file - <<'END'\n{\n  "a": 1\n}\nEND`,
  )
})
