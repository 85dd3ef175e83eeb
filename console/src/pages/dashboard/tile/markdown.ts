/**
 * Markdown to elements. Whatever the text holds, nothing in it runs, loads from elsewhere, or looks like a part of the
 * console: scripts, styles, forms, frames, pictures, ids and classes are taken out.
 */
import createPurifier from 'dompurify'
import { marked } from 'marked'

const purifier = createPurifier(window)

export function writeMarkdown(place: HTMLElement, text: string): void {
  const html = marked.parse(text, { async: false, gfm: true })
  const fragment = purifier.sanitize(html, {
    USE_PROFILES: { html: true },
    FORBID_TAGS: [
      ...['style', 'form', 'input', 'textarea', 'select', 'button', 'dialog', 'template', 'slot'],
      ...['img', 'picture', 'video', 'audio', 'source', 'map', 'area', 'link', 'meta'],
    ],
    FORBID_ATTR: ['style', 'id', 'class', 'name', 'tabindex', 'role', 'popover', 'autofocus', 'background'],
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  })
  for (const link of fragment.querySelectorAll('a[href]')) {
    if (!(link instanceof HTMLAnchorElement) || link.origin === location.origin) continue
    link.target = '_blank'
    link.rel = 'noopener noreferrer'
  }
  // The page and the tile have the headings above.
  for (const heading of fragment.querySelectorAll('h1, h2')) {
    const lower = document.createElement('h3')
    lower.append(...heading.childNodes)
    heading.replaceWith(lower)
  }
  place.replaceChildren(fragment)
}
