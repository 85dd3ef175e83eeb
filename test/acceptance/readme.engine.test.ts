import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startServer, type TestServer } from '../support/server.ts'
import { emulated } from '../support/warehouse.ts'

// The tour of the README runs as written: the same commands, in the same order, on a fresh server.

// With emulation the services of the tour would take minutes; the warehouse tests cover them.
const hasEngine = !emulated
const root = fileURLToPath(new URL('../../', import.meta.url))
let server: TestServer
before(async () => {
  server = await startServer({ env: hasEngine ? { GRANARY_ENGINE: 'embedded' } : {} })
})
after(() => server.stop())

interface Step {
  command: string
  /** The output lines that the README shows. */
  shown: string[]
}

function readTour(): Step[] {
  const steps: Step[] = []
  const blocks = readFileSync(`${root}README.md`, 'utf8').matchAll(/```console\n(.*?)```/gs)
  for (const [, block = ''] of blocks) {
    for (const line of block.split('\n')) {
      const step = steps.at(-1)
      if (line.startsWith('$ ')) steps.push({ command: line.slice(2), shown: [] })
      else if (step?.shown.length === 0 && line.startsWith('    ')) step.command += `\n${line}`
      else if (line.trim() !== '' && line !== '…') step?.shown.push(line)
    }
  }
  return steps.filter(({ command }) => /npx granary |^mkdir /.test(command))
}

async function run(command: string): Promise<{ code: number | null; output: string }> {
  const ours = command
    .replaceAll('npx granary', '"$NODE" src/cli/main.ts')
    .replaceAll('$PWD/data', '$GRANARY_DATA_DIR')
    .replaceAll(' data/', ' "$GRANARY_DATA_DIR"/')
  const env = {
    ...process.env,
    ...{ NODE: process.execPath, GRANARY_DATA_DIR: server.dataDir, GRANARY_URL: server.url },
  }
  const child = spawn('/bin/sh', ['-c', ours], { cwd: root, env })
  const [[code], out, error] = await Promise.all([
    once(child, 'exit'),
    text(child.stdout),
    text(child.stderr),
  ])
  return { code: code as number | null, output: out + error }
}

async function until(command: string, pattern: RegExp): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    const { output } = await run(command)
    if (pattern.test(output)) return
    await setTimeout(100)
  }
  assert.fail(`${command} never says ${pattern}`)
}

/** The part of a line that is the same on every machine: its label, or the head of a table. */
const labelOf = (line: string): string => line.trim().split(/ {2,}|: /)[0] ?? ''

test('every command of the tour works, and prints what the README shows', async () => {
  const tour = readTour()
  assert.ok(tour.length >= 8, 'the tour was found')
  for (const { command, shown } of tour) {
    const isOfEngine = /services top|backups create|pipes create|granary query|dashboards query|^mkdir/
    if (!hasEngine && isOfEngine.test(command)) continue
    if (command.includes('FROM requests'))
      await until('npx granary pipes get events requests', /written +3,600 rows/)
    const { code, output } = await run(command)
    const isRefused = shown.some((line) => line.startsWith('error:'))
    assert.equal(code, isRefused ? 1 : 0, `${command}\n${output}`)
    if (hasEngine && command.includes('services create'))
      await until('npx granary services get events', /state +running/)
    const changing = /[0-9a-f]{8}-[0-9a-f-]{27}|^\d{4}-\d\d-\d\dT/
    // Only a terminal is shown the head of a result and what it took.
    const expected = command.includes('granary query') ? shown.slice(1, -1) : shown
    for (const label of expected.map(labelOf).filter((word) => !changing.test(word))) {
      // Without an engine there is no confinement to report.
      if (!hasEngine && label === 'isolation') continue
      assert.ok(output.includes(label), `${command} does not print "${label}":\n${output}`)
    }
  }
})
