import { away, retryNow } from '../api/server-away.ts'
import { Button } from '../kit/button.tsx'
import { Notice } from '../kit/notice.tsx'
import { formatDuration } from '../lib/durations.ts'
import { now } from '../lib/now.ts'

const seconds = (ms: number): string => formatDuration(Math.max(0, Math.ceil(ms / 1000)) * 1000)

/** One bar under the top bar while the server does not answer; what is shown stays. */
export function AwayBar() {
  const current = away.value
  if (!current) return null
  const wait =
    current.retryAt === null ? 'trying again now' : `trying again in ${seconds(current.retryAt - now.value)}`
  return (
    <div class="shell-bar">
      <Notice
        hue="busy"
        role="status"
        title="The server does not answer."
        actions={
          <Button size="small" onPress={retryNow}>
            Try now
          </Button>
        }
      >
        {/* The text changes each second: only the sentence above is spoken. */}
        <span aria-hidden="true">
          Shown is what it said {seconds(now.value - current.since)} ago; {wait}.
        </span>
      </Notice>
    </div>
  )
}
