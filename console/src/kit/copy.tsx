import { useRef, useState } from 'preact/hooks'
import './copy.css'
import { announce } from './announce.tsx'
import { Button } from './button.tsx'

/** Copies a text. Becomes a check for a moment; without clipboard rights the text is selected instead. */
export function CopyButton(props: { text: string; label?: string; select?: () => HTMLElement | null }) {
  const { text, label = 'Copy', select } = props
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    if (!(await copyText(text, select?.() ?? null))) return
    setCopied(true)
    setTimeout(() => setCopied(false), 1500)
  }
  return (
    <Button
      tone="quiet"
      size="small"
      icon={isCopied ? 'check' : 'copy'}
      label={isCopied ? 'Copied' : label}
      onPress={() => void copy()}
    />
  )
}

/** An address, id or command in a line of its own, with its copy button. */
export function CopyLine({ text, label }: { text: string; label: string }) {
  const ref = useRef<HTMLElement>(null)
  return (
    <span class="copy-line">
      <code ref={ref}>{text}</code>
      <CopyButton text={text} label={label} select={() => ref.current} />
    </span>
  )
}

/** Whether the text is in the clipboard; if not, it is selected where it stands. */
export async function copyText(text: string, place: HTMLElement | null = null): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    announce('Copied')
    return true
  } catch {
    if (place) getSelection()?.selectAllChildren(place)
    return false
  }
}
