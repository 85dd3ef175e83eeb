/** What people copy often has spaces or quotes around it. */
export const cleaned = (text: string): string => text.trim().replace(/^(["'`])(.*)\1$/s, '$2')

/** Pastes the text without the spaces and quotes around it, as if it had been typed. */
export function cleanPaste(event: ClipboardEvent): void {
  const text = event.clipboardData?.getData('text/plain') ?? ''
  const input = event.currentTarget
  const better = cleaned(text)
  if (better === text || !(input instanceof HTMLInputElement)) return
  event.preventDefault()
  input.setRangeText(better, input.selectionStart ?? 0, input.selectionEnd ?? 0, 'end')
  input.dispatchEvent(new InputEvent('input', { bubbles: true }))
}
