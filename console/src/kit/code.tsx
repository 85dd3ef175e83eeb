import { type Language, tokensOf } from '../lib/code-tokens.ts'
import './code.css'
import { CopyButton } from './copy.tsx'

/** A snippet with its copy button. `sql` and `shell` are coloured; other text is not. */
export function Code(props: { text: string; language?: Language; label?: string; wraps?: boolean }) {
  const { text, language = 'text', label = 'Copy the code', wraps } = props
  return (
    <div class={wraps ? 'code code-wraps' : 'code'}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>
        <code>
          {tokensOf(text, language).map(({ kind, text: part }, i) =>
            kind === 'plain' ? (
              part
            ) : (
              <span key={i} class={`code-${kind}`}>
                {part}
              </span>
            ),
          )}
        </code>
      </pre>
      <CopyButton text={text} label={label} />
    </div>
  )
}
