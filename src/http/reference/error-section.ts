import type { OpenApiDocument } from '../../api/openapi/types.ts'
import { type Documents, errorAnswer } from './documents.ts'
import { errorShapes } from './guide.ts'
import { type Html, html, prose } from './html.ts'

/** The error catalogue, each error with an anchor, and the codes of issues. */
export function errorSection(documents: Documents): Html {
  const { management } = documents
  const errors = Object.entries(management['x-granary-errors']).map(
    ([code, { status, retryable, meaning, remedy }]) =>
      html`<tr id="error-${code}"><th scope="row"><b>${status}</b> <code>${breakable(code)}</code>${retryable && html` <span class="mark retry">retry</span>`}</th><td>${prose(meaning)} <span class="remedy">${prose(remedy)}</span>${extras(management, code)}</td></tr>`,
  )
  const issues = Object.entries(management['x-granary-issues']).map(
    ([code, meaning]) => html`<tr><th scope="row"><code>${code}</code></th><td>${prose(meaning)}</td></tr>`,
  )
  return html`<section class="chapter" id="errors" aria-labelledby="errors-title">
<div class="words">
<h3 id="errors-title"><a href="#errors">Errors</a></h3>
<p>An error of the management API carries a <code>code</code> for programs and a text for people: <code>error</code> reads <code>CODE: text</code>. An error of the dashboard API carries the same text as <code>message</code>. Both list every wrong field at once in <code>issues</code>.</p>
<p>What is marked <span class="mark retry">retry</span> may succeed when the same request is sent again; anything else will not until something changes.</p>
</div>
<div class="panel">${errorShapes(documents)}</div>
<div class="wide">
<h4 id="error-catalogue">Catalogue</h4>
<table class="catalogue"><thead><tr><th scope="col">Code</th><th scope="col">Meaning, and what to do</th></tr></thead><tbody>${errors}</tbody></table>
<h4 id="issue-codes">Codes of issues</h4>
<table class="catalogue"><thead><tr><th scope="col">Code</th><th scope="col">Meaning</th></tr></thead><tbody>${issues}</tbody></table>
</div>
</section>`
}

/** A long code may break after each underscore. */
const breakable = (code: string) =>
  html`${code.split('_').map((word, index) => (index > 0 ? html`_<wbr>${word}` : word))}`

/** The fields of an error's answer beyond those that every error has. */
function extras(document: OpenApiDocument, code: string): Html | false {
  const [, own] = errorAnswer(document, code)?.schema.allOf ?? []
  const common = document.components.schemas['Error']?.properties ?? {}
  const names = Object.keys(own?.properties ?? {}).filter((name) => !(name in common))
  return (
    names.length > 0 &&
    html` <span class="extras">May carry ${names.map((name) => html`<code>${name}</code> `)}</span>`
  )
}
