import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { toApiError } from '../api/api-error.ts'
import { raised } from '../lib/words.ts'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'
import './toast.css'

interface Toast {
  id: number
  hue: 'ok' | 'bad'
  title: string
  text?: ComponentChildren
}

const toasts = signal<readonly Toast[]>([])
const most = 3
let lastId = 0

/** Says what is not visible where the person is. Good news goes after 5 s, bad news stays. */
export function toast(hue: Toast['hue'], title: string, text?: ComponentChildren): void {
  lastId += 1
  toasts.value = [...toasts.value, { id: lastId, hue, title, text }].slice(-most)
}

/** Says why a command failed: "finance was not stopped. A restore reads its backup." */
export function toastError(title: string, thrown: unknown): void {
  const error = toApiError(thrown)
  const id = error.requestId
  toast(
    'bad',
    title,
    <>
      {raised(error.message)} {id !== '' && <span class="mono muted">{id.slice(0, 8)}</span>}
    </>,
  )
}

/** Runs a command of a button; a failure is said by a toast. Gives whether it went well. */
export async function run(work: Promise<unknown>, failure: string): Promise<boolean> {
  try {
    await work
    return true
  } catch (thrown) {
    toastError(failure, thrown)
    return false
  }
}

export function Toasts() {
  return (
    <section class="toasts" aria-label="Messages">
      {toasts.value.map((one) => (
        <ToastLine key={one.id} {...one} />
      ))}
    </section>
  )
}

function ToastLine({ id, hue, title, text }: Toast) {
  const ref = useRef<HTMLDivElement>(null)
  const close = () => {
    toasts.value = toasts.value.filter((one) => one.id !== id)
  }
  // Each toast has one clock.
  useEffect(() => {
    if (hue === 'bad') return
    const timer = setInterval(() => {
      // Under the pointer or with the focus inside it waits.
      if (!ref.current?.matches(':hover, :focus-within')) close()
    }, 5000)
    return () => clearInterval(timer)
  }, [])
  return (
    <div ref={ref} class="toast" data-hue={hue} role={hue === 'bad' ? 'alert' : 'status'}>
      <Icon name={hue === 'bad' ? 'failed' : 'done'} />
      <p class="toast-text">
        <b>{title}</b> {text}
      </p>
      <Button tone="quiet" size="small" icon="x" label="Close" onPress={close} />
    </div>
  )
}
