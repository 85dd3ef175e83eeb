import { placeBeside } from './place.ts'

/** Shows a popover beside its button until the pointer goes down elsewhere. Gives what ends the watch. */
export function openBeside(
  shown: HTMLElement,
  anchor: HTMLElement,
  onOutside: () => void,
  side?: Parameters<typeof placeBeside>[2],
): () => void {
  shown.showPopover()
  placeBeside(shown, anchor, side)
  const onDown = (event: Event) => {
    const target = event.target as Node
    if (!shown.contains(target) && !anchor.contains(target)) onOutside()
  }
  document.addEventListener('pointerdown', onDown, true)
  return () => document.removeEventListener('pointerdown', onDown, true)
}
