import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

const imports =
  /^(?:import|export)\s+(?!type\b)(?:[^;'"]*\bfrom\s+)?['"]([^'"]+)['"]|\bimport\(|\brequire\(/gm

test('the table of routes imports nothing', () => {
  const text = readFileSync(new URL('routes.ts', import.meta.url), 'utf8')
  assert.doesNotMatch(text, /\b(import|require)\s*\(|^\s*(import|export)\b.*\bfrom\b/m)
})

test('the client is made of files that a browser can load, without the schemas', () => {
  const seen = new Set([new URL('../client/client.ts', import.meta.url).href])
  const foreign: string[] = []
  for (const url of seen) {
    for (const [statement, specifier = statement] of readFileSync(new URL(url), 'utf8').matchAll(imports)) {
      if (specifier.startsWith('.')) seen.add(new URL(specifier, url).href)
      else foreign.push(`${url} imports ${specifier}`)
    }
  }
  assert.deepEqual(foreign, [])
  const files = [...seen].map((url) => url.slice(url.indexOf('/src/')))
  assert.ok(files.includes('/src/api/routes.ts'))
  assert.deepEqual(
    files.filter((file) => file.startsWith('/src/api/') && !file.endsWith('/routes.ts')),
    [],
  )
})
