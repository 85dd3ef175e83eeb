import { useLayoutEffect, useRef } from 'preact/hooks'

/** CSS custom properties of an element, set through the CSSOM: the policy of the page allows no style attribute. */
export type CssVars = Readonly<Record<`--${string}`, string | number>>

export function setCssVars(element: HTMLElement | SVGElement | null, vars: CssVars): void {
  for (const [name, value] of Object.entries(vars)) element?.style.setProperty(name, String(value))
}

/** A ref whose element has these properties. */
export function useCssVars<T extends HTMLElement | SVGElement>(vars: CssVars) {
  const ref = useRef<T>(null)
  useLayoutEffect(() => setCssVars(ref.current, vars))
  return ref
}
