import type { Html } from './html.ts'

// A silo with a roof and three courses of grain.
const shapes =
  '<path d="M4 11 12 4l8 7v9a1.5 1.5 0 0 1-1.5 1.500h-13A1.5 1.5 0 0 1 4 20z" fill="#d97706"/><path d="M7.5 12.500h9M7.5 15.500h9M7.5 18.500h5" stroke="#fff" stroke-width="1.6" stroke-linecap="round"/>'

export const logo: Html = {
  html: `<svg class="logo" viewBox="0 0 24 24" width="26" height="26" aria-hidden="true">${shapes}</svg>`,
}

export const icon = `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">${shapes}</svg>`)}`
