import { escapeHtml, type Html, html } from './html.ts'

/** A titled block of code. It scrolls, so it must be focusable by keyboard. */
export function codeBlock(title: string, code: Html): Html {
  return html`<figure class="code"><figcaption>${title}</figcaption><pre tabindex="0" role="region" aria-label="${title}"><code>${code}</code></pre></figure>`
}

/** JSON formatted as by hand: short lists and objects stay on one line. */
export function formatJson(value: unknown, indent = ''): string {
  const short = JSON.stringify(value, null, 1)?.replaceAll(/\n\s*/g, ' ') ?? 'null'
  if (typeof value !== 'object' || value === null) return short
  if (indent.length + short.length <= lineLength) return short
  const inner = `${indent}  `
  if (Array.isArray(value)) {
    return `[\n${value.map((item) => inner + formatJson(item, inner)).join(',\n')}\n${indent}]`
  }
  const lines = Object.entries(value).map(
    ([name, item]) => `${inner}${JSON.stringify(name)}: ${formatJson(item, inner)}`,
  )
  return `{\n${lines.join(',\n')}\n${indent}}`
}

const lineLength = 52

const jsonTokens = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(true|false|null)\b|(-?\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b)/g

/** Colours by kind of token. */
export function highlightJson(text: string): Html {
  const mark = (kind: string, token: string) => `<span class="${kind}">${escapeHtml(token)}</span>`
  return replaceTokens(text, jsonTokens, ([, string, colon, word, number]) => {
    if (string !== undefined) return colon ? mark('k', string) + colon : mark('s', string)
    return word === undefined ? mark('n', number ?? '') : mark('w', word)
  })
}

/** Highlights the variables to fill in; the JSON body of a command is coloured as JSON. */
export function highlightShell(text: string): Html {
  const data = text.indexOf("-d '")
  const command = data < 0 ? text : text.slice(0, data)
  const marked = replaceTokens(command, shellTokens, ([token = '', comment, variable]) => {
    const kind = comment === undefined ? (variable === undefined ? 'c' : 'v') : 'm'
    return `<span class="${kind}">${escapeHtml(token)}</span>`
  })
  return html`${marked}${data >= 0 && highlightJson(text.slice(data))}`
}

const shellTokens = /(#.*$)|(\$[A-Z_]+)|^(curl|export)\b/gm

function replaceTokens(text: string, tokens: RegExp, mark: (match: (string | undefined)[]) => string): Html {
  let marked = ''
  let end = 0
  for (const match of text.matchAll(tokens)) {
    marked += escapeHtml(text.slice(end, match.index)) + mark([...match])
    end = match.index + match[0].length
  }
  return { html: marked + escapeHtml(text.slice(end)) }
}
