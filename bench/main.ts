// npm run bench [name …]: measures the numbers that we claim. Ratios compare two values of one run on one
// machine.
import { backupsBench } from './backups.ts'
import { consoleBench } from './console.ts'
import { dashboardsBench } from './dashboards.ts'
import { failoverBench } from './failover.ts'
import { growthBench } from './growth.ts'
import { idleBench } from './idle.ts'
import { idlePipesBench } from './idle-pipes.ts'
import { kafkaBench } from './kafka.ts'
import { objectStorageBench } from './object-storage.ts'
import { postgresBench } from './postgres.ts'
import { queriesBench } from './queries.ts'
import { readBench } from './read.ts'
import { scalingBench } from './scaling.ts'
import { transferBench } from './transfer.ts'
import { wakeBench } from './wake.ts'
import { writeBench } from './write.ts'

export interface Bench {
  name: string
  /** Why the bench cannot run on this machine; absent or '' = it can. */
  skip?: string
  /** What a reader of the numbers should know. */
  notes?: readonly string[]
  run(): Promise<Measurement[]>
}

export interface Measurement {
  what: string
  value: number
  unit: string
  /** The value that we promise; absent for numbers that are only for comparison. */
  target?: { atLeast: number } | { atMost: number }
  /** Why the target does not count in this run. */
  unjudged?: string
}

const wanted = process.argv.slice(2)
const all = [
  ...[readBench, writeBench, growthBench, idleBench],
  ...[wakeBench, failoverBench, queriesBench, transferBench, scalingBench, backupsBench],
  ...[dashboardsBench, objectStorageBench, kafkaBench, idlePipesBench, postgresBench, consoleBench],
]
const benches = all.filter(
  ({ name }) => wanted.length === 0 || wanted.some((part) => name.toLowerCase().includes(part.toLowerCase())),
)
let missed = 0
for (const bench of benches) {
  console.log(`\n${bench.name}`)
  if (bench.skip) {
    console.log(`  skipped: ${bench.skip}`)
    continue
  }
  for (const note of bench.notes ?? []) console.log(`  (${note})`)
  for (const measurement of await bench.run()) {
    const { what, value, unit } = measurement
    const shown = value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(2)
    const { verdict, isMissed } = judge(measurement)
    if (isMissed) missed += 1
    console.log(`  ${what.padEnd(52)} ${shown.padStart(10)} ${unit}${verdict}`)
  }
}
if (missed > 0) {
  console.error(`\n${missed} target${missed === 1 ? '' : 's'} missed`)
  process.exitCode = 1
}

function judge({ value, target, unjudged }: Measurement): { verdict: string; isMissed: boolean } {
  if (!target) return { verdict: '', isMissed: false }
  const promise = 'atLeast' in target ? `at least ${target.atLeast}` : `at most ${target.atMost}`
  if (unjudged) return { verdict: `   ${promise}: not judged (${unjudged})`, isMissed: false }
  const isMet = 'atLeast' in target ? value >= target.atLeast : value <= target.atMost
  return { verdict: `   ${promise}: ${isMet ? 'met' : 'MISSED'}`, isMissed: !isMet }
}
