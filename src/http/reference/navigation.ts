import type { Group } from './groups.ts'
import type { Chapter } from './guide.ts'
import { type Html, html } from './html.ts'
import { logo } from './logo.ts'
import { methodBadge } from './operation.ts'

export interface NavigationPart {
  api: 'management' | 'dashboards'
  document: { info: { title: string } }
  groups: readonly Group[]
}

/** The sidebar. On narrow screens it is a popover, which needs no script. */
export function navigation(
  version: string,
  chapters: readonly Chapter[],
  parts: readonly NavigationPart[],
): Html {
  const guide = [...chapters, { id: 'errors', title: 'Errors' }]
  return html`<nav id="menu" popover aria-label="Contents">
<div class="brand">${logo}<b>Granary</b><span class="version">${version}</span></div>
<div class="search"><input type="search" id="filter" placeholder="Filter operations" aria-label="Filter operations" autocomplete="off" spellcheck="false"><kbd>/</kbd></div>
<p class="nothing" id="nothing" role="status" hidden>Nothing has this in its name or path.</p>
<div class="tree">
<div class="branch"><h2><a href="#guide">Guide</a></h2><ul>${guide.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul></div>
${parts.map(partList)}
</div>
</nav>`
}

function partList({ api, document, groups }: NavigationPart): Html {
  return html`<div class="branch"><h2><a href="#${api}">${document.info.title.replace('Granary ', '')}</a></h2>${groups.map(
    ({ id, name, resource, operations }) =>
      html`<div class="branch"><h3><a href="#${id}">${name}</a></h3><ul>${resource && html`<li><a href="#${resource.id}">The ${resource.name} object</a></li>`}${operations.map(
        ({ method, path, operation }) =>
          html`<li data-words="${`${operation.operationId} ${method} ${path}`.toLowerCase()}"><a href="#${operation.operationId}"><span>${operation.summary}</span>${methodBadge(method)}</a></li>`,
      )}</ul></div>`,
  )}</div>`
}
