import { useEffect, useState } from 'preact/hooks'

/** Changes with the colours of the page, so that a canvas is drawn anew: theme, contrast, forced colours. */
export function useTheme(): number {
  const [version, setVersion] = useState(0)
  useEffect(() => {
    const changed = () => setVersion((before) => before + 1)
    const queries = [
      '(prefers-color-scheme: dark)',
      '(prefers-contrast: more)',
      '(forced-colors: active)',
    ].map((one) => matchMedia(one))
    for (const query of queries) query.addEventListener('change', changed)
    const attribute = new MutationObserver(changed)
    attribute.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    return () => {
      for (const query of queries) query.removeEventListener('change', changed)
      attribute.disconnect()
    }
  }, [])
  return version
}
