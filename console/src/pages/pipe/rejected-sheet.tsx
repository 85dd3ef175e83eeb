import type { Result } from '../../api/operations.ts'
import { CopyButton } from '../../kit/copy.tsx'
import { Facts } from '../../kit/facts.tsx'
import { Sheet } from '../../kit/sheet.tsx'
import { TimeAt } from '../../kit/time-ago.tsx'
import { formatBytes } from '../../lib/numbers.ts'
import { FaultText } from './fault-text.tsx'

export type RejectedRecord = Result<'pipes.rejectedRecords'>[number]

/** One rejected record: where it was, why it was rejected, and its text with the fault marked. */
export function RejectedSheet(props: {
  record: RejectedRecord
  onClose: () => void
  onPrevious: (() => void) | undefined
  onNext: (() => void) | undefined
}) {
  const { record, ...moves } = props
  const { at, source, position, code, reason, field, raw, isBase64, isTruncated, rawSize } = record
  return (
    <Sheet title="Rejected record" {...moves}>
      <Facts
        facts={[
          ['Source', <code class="pipe-place">{source}</code>],
          ['Position', <code>{position}</code>],
          ['Rejected', <TimeAt at={at} />],
          ['Kind', code],
          ['Field', field && <code>{field}</code>],
          ['Size', formatBytes(rawSize)],
        ]}
      />
      <p class="pipe-reason">{reason}</p>
      <div class="code code-wraps">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
        <pre tabIndex={0}>
          <code>
            <FaultText text={raw} field={isBase64 ? null : field} />
          </code>
        </pre>
        <CopyButton text={raw} label="Copy the record" />
      </div>
      {isBase64 && <p class="sub">Its bytes are no text; they are shown in base64.</p>}
      {isTruncated && <p class="sub">This is only its beginning.</p>}
    </Sheet>
  )
}
