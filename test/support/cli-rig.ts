import assert from 'node:assert/strict'
import type { CliIo } from '../../src/cli/io.ts'
import { runCli } from '../../src/cli/run.ts'
import { nowMs, organizationId } from './cli-samples.ts'
import { createLeapingClock } from './leaping-clock.ts'

export const keySecret = 'sEcReT-of-the-key-0123456789'
export const dashboardToken = 'tOkEn-of-dashboards-0123456789'

export interface Ran {
  code: number
  stdout: string
  stderr: string
}

export interface RigOptions extends Partial<Pick<CliIo, 'env' | 'signal' | 'clock' | 'isInteractive'>> {
  /** Files by absolute path; relative paths are resolved under `/home/someone`. */
  files?: Record<string, string>
  stdin?: string
  /** The user's answer to a question. */
  answer?: string
  isTTY?: boolean
  prompt?: CliIo['openPrompt']
  /** Called with each text on standard output as it is written. */
  onOutput?(text: string): void
}

/** Runs one command line against the server at `url`, isolated from the real process. */
export async function granary(url: string, argv: readonly string[], options: RigOptions = {}): Promise<Ran> {
  const out = { stdout: '', stderr: '' }
  const decoder = new TextDecoder()
  const stream = (name: 'stdout' | 'stderr') => ({
    isTTY: options.isTTY ?? false,
    write(text: string) {
      out[name] += text
      if (name === 'stdout') options.onOutput?.(text)
    },
    async writeBytes(bytes: Uint8Array) {
      this.write(decoder.decode(bytes, { stream: true }))
    },
  })
  const code = await runCli({
    argv,
    env: options.env ?? {
      GRANARY_URL: url,
      GRANARY_ADMIN_KEY: `the-id:${keySecret}`,
      GRANARY_DASHBOARD_TOKEN: dashboardToken,
      GRANARY_ORGANIZATION_ID: organizationId,
    },
    directory: '/home/someone',
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    isInteractive: options.isInteractive ?? false,
    readStdin: async () => new TextEncoder().encode(options.stdin ?? ''),
    readFile: async (path) => {
      const content = options.files?.[path]
      if (content === undefined) throw Object.assign(new Error('no such file'), { code: 'ENOENT' })
      return new TextEncoder().encode(content)
    },
    ask: async (question) => {
      out.stderr += question
      return options.answer ?? ''
    },
    openPrompt: (history) => options.prompt?.(history) ?? assert.fail('nobody can be asked'),
    appendPrivately: async () => undefined,
    readPart: async (path, from, atMost) => {
      const content = options.files?.[path]
      if (content === undefined) return null
      const all = new TextEncoder().encode(content)
      return { bytes: all.subarray(from, from + atMost), size: all.byteLength, file: path }
    },
    signal: options.signal ?? new AbortController().signal,
    clock: options.clock ?? createLeapingClock({ startMs: nowMs }),
    fetch,
    version: '1.2.3',
  })
  return { code, ...out }
}
