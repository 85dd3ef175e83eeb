import type { Html } from './html.ts'

// The mark of the console: an ear of wheat of six kernels (console/public/mark.svg).
const shapes =
  '<path fill="#d6a62b" d="M3.4 .5a8 8 0 0 1 8 8a8 8 0 0 1-8-8ZM20.6 .5a8 8 0 0 0-8 8a8 8 0 0 0 8-8ZM3.4 8a8 8 0 0 1 8 8a8 8 0 0 1-8-8ZM20.6 8a8 8 0 0 0-8 8a8 8 0 0 0 8-8ZM3.4 15.500a8 8 0 0 1 8 8a8 8 0 0 1-8-8ZM20.6 15.500a8 8 0 0 0-8 8a8 8 0 0 0 8-8Z"/>'

export const logo: Html = {
  html: `<svg class="logo" viewBox="0 0 24 24" width="26" height="26" aria-hidden="true">${shapes}</svg>`,
}

export const icon = `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">${shapes}</svg>`)}`
