// A control plane in its own process, for tests that kill it: takes its orders from the command line, reports
// each finished order on its output, and runs until it is killed.
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { createEmbeddedEngine } from '../../src/engine/embedded/driver.ts'
import type { EngineSpec } from '../../src/engine/engine.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { callerOf, fakeRuntime, quickLimits } from './embedded-rig.ts'
import { createRecordingLog } from './recording-log.ts'

export interface Order {
  kind: 'apply' | 'bring' | 'destroy'
  spec: EngineSpec
}

export interface DriverChild {
  process: ChildProcess
  /** How many orders are done. */
  done(): number
  /** The step that the process was about to take when it ended; '' = none yet. */
  lastStep(): string
  ended: Promise<void>
}

/** The process kills itself with SIGKILL before the step with this number, counted from 1; 0 = never. */
export function startDriverChild(dataDir: string, orders: Order[], crashAtStep = 0, spares = 0): DriverChild {
  const script = fileURLToPath(import.meta.url)
  const args = [script, dataDir, JSON.stringify(orders), String(crashAtStep), String(spares)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let done = 0
  let lastStep = ''
  const lines = createInterface({ input: child.stdout })
  lines.on('line', (line) => {
    if (line === 'done') done += 1
    else lastStep = line
  })
  const ended = new Promise<void>((resolve) => lines.once('close', resolve))
  return { process: child, done: () => done, lastStep: () => lastStep, ended }
}

async function run(dataDir: string, orders: Order[], crashAtStep: number, spares: number): Promise<void> {
  let steps = 0
  const tell = (line: string) => process.stdout.write(`${line}\n`)
  const engine = await createEmbeddedEngine({
    dataDir,
    runtime: fakeRuntime,
    clock: systemClock,
    log: createRecordingLog(),
    limits: quickLimits,
    spares,
    step(name) {
      steps += 1
      tell(name)
      // Output to a pipe is written synchronously, so it is complete before the kill.
      if (steps === crashAtStep) process.kill(process.pid, 'SIGKILL')
    },
  })
  const { apply, bring, destroy, goneAfter } = callerOf(engine)
  for (const { kind, spec } of orders) {
    if (kind === 'apply') await apply(spec)
    else if (kind === 'bring') await bring(spec)
    else await goneAfter(spec, () => destroy(spec, 'purge'))
    tell('done')
  }
  setInterval(() => {}, 60_000)
}

const [, , dataDir = '', orders = '[]', crashAtStep = '0', spares = '0'] = process.argv
if (import.meta.main) await run(dataDir, JSON.parse(orders) as Order[], Number(crashAtStep), Number(spares))
