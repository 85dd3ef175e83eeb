import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { formatJson, highlightJson, highlightShell } from './code.ts'
import { curlCommand, shellQuote } from './curl.ts'
import { html, prose } from './html.ts'

describe('html', () => {
  it('escapes what is put in, but not its own pieces', () => {
    const item = html`<li title="${'"'}">${'<b>&'}</li>`
    assert.equal(
      html`<ul>${[item]}${false}${null}${0}</ul>`.html,
      '<ul><li title="&#34;">&#60;b&#62;&#38;</li>0</ul>',
    )
  })

  it('turns backticks into code', () => {
    assert.equal(prose('use `a<b` or `c`').html, 'use <code>a&#60;b</code> or <code>c</code>')
  })
})

describe('code', () => {
  it('formats any JSON without changing it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        assert.deepEqual(JSON.parse(formatJson(value)), JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  it('keeps short things on their line', () => {
    assert.equal(formatJson({ command: 'stop' }), '{ "command": "stop" }')
    assert.match(
      formatJson({ text: 'x'.repeat(60), list: [1, 2] }),
      /^\{\n {2}"text": "x+",\n {2}"list": \[ 1, 2 \]\n\}$/,
    )
  })

  it('colours without changing the text', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        assert.equal(textOf(highlightJson(formatJson(value)).html), formatJson(value))
      }),
    )
    const command = `export A=1 # why\ncurl "$GRANARY_URL/x" -d '{ "a": 1 }'`
    assert.equal(textOf(highlightShell(command).html), command)
    assert.match(highlightShell(command).html, /<span class="v">\$GRANARY_URL<\/span>/)
  })
})

describe('curl', () => {
  it('takes its ids and credentials from variables', () => {
    const path = '/v1/organizations/{organizationId}/keys/{keyId}'
    assert.equal(
      curlCommand({ api: 'management', method: 'DELETE', path }),
      'curl -X DELETE "$GRANARY_URL/v1/organizations/$ORG/keys/$KEY" \\\n  -u "$KEY_ID:$KEY_SECRET"',
    )
    const dashboards = curlCommand({
      api: 'dashboards',
      method: 'POST',
      path: '/api/v2/dashboards',
      body: { name: "it's" },
    })
    assert.match(dashboards, /-H "Authorization: Bearer \$TOKEN"/)
    assert.ok(dashboards.endsWith(String.raw`-d '{ "name": "it'\''s" }'`))
  })

  it('quotes any text for the shell', () => {
    assert.equal(shellQuote(`a'b"$c`), String.raw`'a'\''b"$c'`)
  })
})

function textOf(marked: string): string {
  return marked
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
}
