/** Optional: filtering, copying, and highlighting the section in view. The page is complete without it. */
export const script = `
const menu = document.getElementById('menu')
const filter = document.getElementById('filter')
const nothing = document.getElementById('nothing')
const links = [...menu.querySelectorAll('.tree a')]
const items = [...menu.querySelectorAll('.tree li')]

function applyFilter() {
  const words = filter.value.toLowerCase().split(/\\s+/).filter(Boolean)
  for (const item of items) {
    const text = item.textContent.toLowerCase() + ' ' + (item.dataset.words ?? '')
    item.hidden = !words.every((word) => text.includes(word))
  }
  for (const branch of menu.querySelectorAll('.branch')) branch.hidden = !branch.querySelector('li:not([hidden])')
  nothing.hidden = items.some((item) => !item.hidden)
}
filter.addEventListener('input', applyFilter)
filter.addEventListener('keydown', (event) => {
  const first = items.find((item) => !item.hidden && filter.value !== '')
  if (event.key === 'Enter' && first) first.querySelector('a').click()
  if (event.key === 'Escape') {
    filter.value = ''
    applyFilter()
    filter.blur()
  }
})
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.target.closest('input, textarea')) return
  event.preventDefault()
  filter.focus()
})
menu.addEventListener('click', (event) => {
  if (event.target.closest('a') && menu.matches(':popover-open')) menu.hidePopover()
})

const byId = new Map(links.map((link) => [link.hash.slice(1), link]))
const visible = new Set()
let current = null
const observer = new IntersectionObserver((entries) => {
  for (const entry of entries) entry.isIntersecting ? visible.add(entry.target) : visible.delete(entry.target)
  const top = [...visible].sort((a, b) => b.getBoundingClientRect().top - a.getBoundingClientRect().top)[0]
  const link = top && byId.get(top.id)
  if (!link || link === current) return
  current?.removeAttribute('aria-current')
  link.setAttribute('aria-current', 'true')
  current = link
  const box = link.getBoundingClientRect()
  const frame = menu.getBoundingClientRect()
  if (box.top < frame.top + 130 || box.bottom > frame.bottom - 20) link.scrollIntoView({ block: 'center' })
}, { rootMargin: '-10% 0px -80% 0px' })
for (const section of document.querySelectorAll('main section[id]')) if (byId.has(section.id)) observer.observe(section)

if (navigator.clipboard) {
  for (const figure of document.querySelectorAll('figure.code')) {
    const button = document.createElement('button')
    button.type = 'button'
    button.textContent = 'Copy'
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(figure.querySelector('pre').textContent)
      button.textContent = 'Copied'
      setTimeout(() => { button.textContent = 'Copy' }, 1500)
    })
    figure.querySelector('figcaption').append(button)
  }
}
`
