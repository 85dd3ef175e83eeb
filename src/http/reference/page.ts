import { createHash } from 'node:crypto'
import type { OpenApiDocument } from '../../api/openapi/types.ts'
import { codeBlock, formatJson, highlightJson } from './code.ts'
import type { Documents } from './documents.ts'
import { errorSection } from './error-section.ts'
import { type FieldContext, fieldList } from './fields.ts'
import { type Group, groupsOf } from './groups.ts'
import { type Chapter, guideChapters } from './guide.ts'
import { type Html, html, prose } from './html.ts'
import { icon, logo } from './logo.ts'
import { navigation } from './navigation.ts'
import { operationSection, type ShownOperation } from './operation.ts'
import { script } from './script.ts'
import { style } from './style.ts'
import { typefaceScript } from './typefaces.ts'

export interface Reference {
  html: string
  /** Allows only the style and the script of this page, and no external source. */
  contentSecurityPolicy: string
}

/** The readable reference of both APIs as one self-contained page that works without its script. */
export function createReference(documents: Documents): Reference {
  const parts = (['management', 'dashboards'] as const).map((api) => {
    const document = documents[api]
    return { api, document, groups: groupsOf(api, document) }
  })
  const chapters = guideChapters(documents)
  const code = script + typefaceScript()
  const sections = parts.map(({ api, document, groups }) => apiSection(api, document, groups))
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Granary API reference</title>
<link rel="icon" href="${icon}">
<style>${{ html: style }}</style>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header class="bar">${logo}<b>Granary</b><button type="button" popovertarget="menu">Menu</button></header>
${navigation(documents.management.info.version, chapters, parts)}
<main id="content">
<header class="hero"><h1>API reference</h1><p>A data warehouse that you run yourself: services that start, scale, sleep and wake; pipes that ingest exactly once; backups that restore; dashboards on top.</p></header>
<h2 class="api" id="guide">Guide</h2>
${chapters.map(chapterSection)}
${errorSection(documents)}
${sections}
</main>
<script>${{ html: code }}</script>
</body>
</html>
`
  return { html: page.html, contentSecurityPolicy: policyFor(code) }
}

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
const policyFor = (code: string): string =>
  [
    "default-src 'none'",
    `style-src ${hashOf(style)}`,
    `script-src ${hashOf(code)}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

function chapterSection({ id, title, content }: Chapter): Html {
  return html`<section class="chapter" id="${id}" aria-labelledby="${id}-title"><h3 id="${id}-title"><a href="#${id}">${title}</a></h3>${content}</section>`
}

function apiSection(api: ShownOperation['api'], document: OpenApiDocument, groups: Group[]): Html {
  const anchors = new Map(groups.flatMap(({ resource }) => (resource ? [[resource.name, resource.id]] : [])))
  const context: FieldContext = { document, anchors }
  const base = api === 'management' ? '/v1' : '/api/v2'
  return html`<h2 class="api" id="${api}">${document.info.title.replace('Granary ', '')} <code>${base}</code></h2>
${groups.map(
  (group) => html`<section class="group" id="${group.id}" aria-labelledby="${group.id}-title">
<h3 id="${group.id}-title"><a href="#${group.id}">${group.name}</a></h3><p class="lead">${prose(group.description)}</p>
${resourceSection(context, group)}
${group.operations.map((operation) => operationSection(context, operation))}
</section>`,
)}`
}

function resourceSection(context: FieldContext, { resource }: Group): Html | undefined {
  const schema = resource && context.document.components.schemas[resource.name]
  if (!schema) return undefined
  // In an answer every field is present, so "required" on each of them would say nothing.
  const fields = fieldList(context, { ...schema, required: [] })
  const { id, name, example } = resource
  return html`<section class="operation resource" id="${id}" aria-labelledby="${id}-title"><div class="words"><h4 id="${id}-title"><a href="#${id}">The ${name} object</a></h4>${fields}</div><div class="panel">${codeBlock(name, highlightJson(formatJson(example)))}</div></section>`
}
