import { useEffect, useRef } from 'preact/hooks'

/** Text of people. What a browser could run is taken out before it is shown; the library for it comes when first needed. */
export function MarkdownContent({ content, name }: { content: string; name: string }) {
  const ref = useRef<HTMLElement>(null)
  useEffect(() => {
    let isCurrent = true
    void import('./markdown.ts').then(({ writeMarkdown }) => {
      if (isCurrent && ref.current) writeMarkdown(ref.current, content)
    })
    return () => {
      isCurrent = false
    }
  }, [content])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section class="tile-prose" ref={ref} tabIndex={0} aria-label={`Text of ${name || 'the tile'}`} />
  )
}
