/** Text that is already HTML. Everything else is escaped when it is put into a page. */
export interface Html {
  readonly html: string
}

type Part = Html | string | number | false | null | undefined | readonly Part[]

/**
 * A piece of a page. Interpolated values are escaped unless they are `Html`; false, null and undefined give
 * nothing.
 */
export function html(texts: TemplateStringsArray, ...parts: Part[]): Html {
  return { html: texts.reduce((all, text, index) => all + toHtml(parts[index - 1]) + text) }
}

function toHtml(part: Part): string {
  if (part === false || part === null || part === undefined) return ''
  if (typeof part === 'object') return 'html' in part ? part.html : part.map(toHtml).join('')
  return escapeHtml(String(part))
}

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

/** Sentences with `code` in backticks. */
export function prose(text: string): Html {
  const parts = text.split('`')
  return html`${parts.map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`
}
