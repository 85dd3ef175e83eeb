/** Moves the focus between the rows of the page's lists: each row is reached by its link. */
export function moveInRows(step: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLElement>('main [data-mark="row-link"]')]
  if (links.length === 0) return
  const row = document.activeElement?.closest('tr, li')
  const at = links.findIndex((link) => link === document.activeElement || row?.contains(link))
  const next = at < 0 ? (step > 0 ? 0 : links.length - 1) : at + step
  links[Math.min(links.length - 1, Math.max(0, next))]?.focus()
}

/** Opens the menu of the row that has the focus, else that of the page. */
export function openRowMenu(): void {
  const row = document.activeElement?.closest('tr, li')
  const menu = row?.querySelector<HTMLElement>('[data-mark="row-menu"]')
  ;(menu ?? document.querySelector<HTMLElement>('main [data-mark="page-menu"]'))?.click()
}
