import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { toastError } from '../../kit/toast.tsx'
import type { Editor, EditorEvents } from './editor.ts'

/** The editor, as soon as its chunk is here; the text of another tab replaces what it shows. */
export function SqlEditor(props: {
  /** Whose text it is. */
  draftId: string
  text: string
  events: EditorEvents
  editor: RefObject<Editor | null>
  onReady: () => void
}) {
  const { draftId, text, editor, onReady } = props
  const host = useRef<HTMLDivElement>(null)
  const latest = useRef(props)
  latest.current = props
  // The editor is made once; what it calls is always the newest.
  useEffect(() => {
    let isGone = false
    void import('./editor.ts').then(
      ({ createEditor }) => {
        if (isGone || !host.current) return
        editor.current = createEditor(host.current, latest.current.text, {
          onChange: (next) => latest.current.events.onChange(next),
          onRun: () => latest.current.events.onRun(),
          onCancel: () => latest.current.events.onCancel(),
          onExplain: () => latest.current.events.onExplain(),
          onFormat: () => latest.current.events.onFormat(),
          onName: () => latest.current.events.onName(),
        })
        onReady()
      },
      (thrown) => toastError('The editor could not be loaded.', thrown),
    )
    return () => {
      isGone = true
      editor.current?.close()
      editor.current = null
    }
  }, [])
  useEffect(() => editor.current?.open(text), [draftId])
  return <div class="sql-editor" ref={host} data-typing="" />
}
