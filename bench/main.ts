// npm run bench [name …]: the numbers that we claim, measured here and now. Ratios are of one run on one machine.
import { growthBench } from './growth.ts'
import { idleBench } from './idle.ts'
import { readBench } from './read.ts'
import { writeBench } from './write.ts'

export interface Bench {
  name: string
  run(): Promise<Measurement[]>
}

export interface Measurement {
  what: string
  value: number
  unit: string
  /** What we promise; absent for numbers that stand only for comparison. */
  target?: { atLeast: number } | { atMost: number }
}

const wanted = process.argv.slice(2)
const benches = [readBench, writeBench, growthBench, idleBench].filter(
  ({ name }) => wanted.length === 0 || wanted.some((part) => name.toLowerCase().includes(part.toLowerCase())),
)
let missed = 0
for (const bench of benches) {
  console.log(`\n${bench.name}`)
  for (const { what, value, unit, target } of await bench.run()) {
    const shown = value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(2)
    const met = !target || ('atLeast' in target ? value >= target.atLeast : value <= target.atMost)
    if (!met) missed += 1
    const promise = target
      ? `   ${'atLeast' in target ? `at least ${target.atLeast}` : `at most ${target.atMost}`}: ${met ? 'met' : 'MISSED'}`
      : ''
    console.log(`  ${what.padEnd(52)} ${shown.padStart(10)} ${unit}${promise}`)
  }
}
if (missed > 0) {
  console.error(`\n${missed} target${missed === 1 ? '' : 's'} missed`)
  process.exitCode = 1
}
