import { away } from '../api/server-away.ts'
import { formatDuration } from '../lib/durations.ts'
import { now } from '../lib/now.ts'
import './live-sign.css'
import { pageHead } from './page.tsx'

/** A kernel: leaf while the data is live, ember with its age while it is not; absent where nothing changes. */
export function LiveSign() {
  const { live } = pageHead.value
  if (!live || live.answeredAt === null) return null
  if (!live.isOld && away.value === null) return <span class="live-sign">Live</span>
  const age = Math.max(0, now.value - live.answeredAt)
  return <span class="live-sign live-sign-old">{formatDuration(Math.floor(age / 1000) * 1000)} old</span>
}
