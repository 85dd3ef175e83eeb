import type { OpenApiDocument } from '../../api/openapi/types.ts'
import { codeBlock, formatJson, highlightJson, highlightShell } from './code.ts'
import { type Documents, errorAnswer, exampleAnswer } from './documents.ts'
import { type Html, html } from './html.ts'

export interface Chapter {
  id: string
  title: string
  content: Html
}

const json = (title: string, value: unknown) => codeBlock(title, highlightJson(formatJson(value)))
const shell = (title: string, text: string) => codeBlock(title, highlightShell(text))
const chapter = (id: string, title: string, words: Html, panel: Html): Chapter => ({
  id,
  title,
  content: html`<div class="words">${words}</div><div class="panel">${panel}</div>`,
})

/** Rules that hold for every operation, explained once. */
export function guideChapters({ management, dashboards }: Documents): Chapter[] {
  const { data: dashboard } = exampleAnswer(dashboards, 'dashboards.get') as { data: object }
  return [
    chapter(
      'start',
      'Getting started',
      html`<p>One server offers two APIs. The <b>management API</b> under <code>/v1</code> runs services, pipes, backups and keys; the <b>dashboard API</b> under <code>/api/v2</code> keeps dashboards. Both speak JSON over HTTP.</p>
<p>The first start prints an organization, a key and a dashboard token, and keeps them in <code>credentials.json</code> in the data directory. Put them into the variables shown here: every command on this page then works as it stands.</p>
<p>Machine-readable descriptions (OpenAPI 3.1) are served without a credential: <a href="/v1">management</a>, <a href="/api/v2">dashboards</a>.</p>`,
      shell(
        'Variables of this page',
        `export GRANARY_URL=http://127.0.0.1:8080
export KEY_ID=…       # a management key
export KEY_SECRET=…
export TOKEN=…        # a dashboard token
export ORG=…          # the id of the organization

# is it there?
curl "$GRANARY_URL/v1/organizations" -u "$KEY_ID:$KEY_SECRET"`,
      ),
    ),
    chapter(
      'authentication',
      'Authentication',
      html`<p>The management API takes HTTP Basic: the id of a key as user name and its secret as password. The dashboard API takes a bearer token. Neither works in place of the other.</p>
<p>A key has <b>roles</b> for its whole organization and <b>grants</b> for single services. <code>admin</code> may do everything; <code>developer</code> may do what needs a permission that ends in <code>:view</code>. Each operation below names the permission that it needs. A key may also end at a date, and be bound to addresses.</p>
<p>A missing or wrong credential answers <a href="#error-UNAUTHORIZED">401</a>, a missing permission <a href="#error-FORBIDDEN">403</a>; what a key may not even know of answers <a href="#error-NOT_FOUND">404</a>.</p>`,
      html`${shell(
        'Management API',
        `curl "$GRANARY_URL/v1/organizations" \\
  -u "$KEY_ID:$KEY_SECRET"`,
      )}${shell(
        'Dashboard API',
        `curl "$GRANARY_URL/api/v2/dashboards" \\
  -H "Authorization: Bearer $TOKEN"`,
      )}`,
    ),
    chapter(
      'answers',
      'Requests and answers',
      html`<p>Success is always <b>200</b>, creation included. The management API wraps the resource in <code>result</code>, beside <code>status</code> and <code>requestId</code>; <code>warnings</code> is there when something was taken but is discouraged. The dashboard API wraps it in <code>data</code>.</p>
<p>Every answer carries <code>X-Request-Id</code>. Logs and the audit trail name the request by it.</p>
<p>Bodies are read strictly: <code>"24"</code> is not <code>24</code>, and a field that the interface does not know is refused with its place rather than dropped. In a PATCH, a field that is absent keeps its value, so <code>{}</code> changes nothing. Times are ISO 8601 in UTC; a text without a value is <code>""</code>.</p>`,
      html`${json('Management API', exampleAnswer(management, 'organizations.get'))}${json('Dashboard API', { data: { ...dashboard, tiles: [] } })}`,
    ),
    chapter(
      'paging',
      'Paging',
      html`<p>A list is whole unless <code>limit</code> is given. It then comes in pages: as long as there is more, the header <code>X-Next-Cursor</code> holds the <code>cursor</code> of the next page. Its absence marks the last one.</p>
<p>A cursor names a place, not a page number: what is created or deleted meanwhile shifts nothing.</p>`,
      shell(
        'The next ten backups',
        `curl -i "$GRANARY_URL/v1/organizations/$ORG/services/$SERVICE/backups?limit=10&cursor=$CURSOR" \\
  -u "$KEY_ID:$KEY_SECRET"`,
      ),
    ),
    chapter(
      'rate-limits',
      'Rate limits',
      html`<p>Requests are counted for each key in fixed windows. Every answer to a known key tells where it stands; <code>X-RateLimit-Reset</code> counts in seconds. Beyond the limit the answer is <a href="#error-TOO_MANY_REQUESTS">429</a>, and <code>Retry-After</code> says how many seconds to wait.</p>`,
      codeBlock(
        'Headers',
        html`X-RateLimit-Limit: <span class="n">100000</span>
X-RateLimit-Remaining: <span class="n">99998</span>
X-RateLimit-Reset: <span class="n">7</span>`,
      ),
    ),
    chapter(
      'health',
      'Health and metrics',
      html`<p>These need no credential. <code>GET /healthz</code> answers as long as the process serves. <code>GET /readyz</code> answers 200 when requests can be served, and 503 with a <code>reason</code> when not. <code>GET /metrics</code> is the server itself in the Prometheus text format; metrics of services are with <a href="#services.metrics">the services</a>.</p>`,
      html`${json('GET /readyz', { status: 'ready', isolation: 'landlock 7' })}`,
    ),
  ]
}

/** The formats of errors, shown beside the catalogue. */
export function errorShapes({ management, dashboards }: Documents): Html {
  const example = (document: OpenApiDocument, code: string) => errorAnswer(document, code)?.example
  return html`${json('Management API', example(management, 'BAD_REQUEST'))}${json('With a state', example(management, 'CONFLICT'))}${json('Dashboard API', example(dashboards, 'BAD_REQUEST'))}`
}
