import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Runtime } from '../../src/engine/embedded/runtime.ts'

/** An engine in its own process. */
export interface EngineChild {
  /** Executes one statement; statements on one connection run one after the other. */
  run(sql: string, connection?: number): Promise<string>
  /** Ends the process as a crash would. */
  kill(): Promise<void>
  close(): Promise<void>
}

// Lines of this protocol begin with @: the engine writes to the same stream.
const script = `
const [library, path] = process.argv.slice(1)
const addon = require(library)
const connections = []
// Compiling expressions takes longer than any of these queries.
const settings = ['--compile_expressions=0', '--compile_aggregate_expressions=0', '--compile_sort_description=0']
const tell = (message) => process.stdout.write('@' + JSON.stringify(message) + '\\n')
const lines = require('node:readline').createInterface({ input: process.stdin })
lines.on('line', async (line) => {
  const { id, sql, connection } = JSON.parse(line)
  try {
    connections[connection] ??= addon.CreateConnection(path, settings)
    const { bytes } = await addon.QueryAsyncConnection(connections[connection], sql, 'TSV')
    tell({ id, result: Buffer.from(bytes).toString() })
  } catch (error) {
    tell({ id, error: error.message })
  }
})
lines.on('close', () => {
  for (const connection of connections) if (connection) addon.CloseConnection(connection)
  process.exit(0)
})
connections[0] = addon.CreateConnection(path, settings)
tell({ id: 0, result: '' })
`

export async function startEngineChild(
  { command, args, library }: Runtime,
  path: string,
): Promise<EngineChild> {
  const child = spawn(command, [...args, '-e', script, library, path], { stdio: ['pipe', 'pipe', 'ignore'] })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const asked = new Map<number, { resolve: (result: string) => void; reject: (error: Error) => void }>()
  let ids = 0
  child.once('close', () => {
    for (const { reject } of asked.values()) reject(new Error('the engine has ended'))
    asked.clear()
  })
  // Writing to a dying process fails; its exit is the answer.
  child.stdin.on('error', () => {})
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (!line.startsWith('@')) return
    const { id, result, error } = JSON.parse(line.slice(1)) as { id: number; result: string; error?: string }
    const waiting = asked.get(id)
    asked.delete(id)
    if (error === undefined) waiting?.resolve(result)
    else waiting?.reject(new Error(error))
  })
  await new Promise<string>((resolve, reject) => asked.set(0, { resolve, reject }))

  return {
    run: (sql, connection = 0) =>
      new Promise((resolve, reject) => {
        ids += 1
        asked.set(ids, { resolve, reject })
        child.stdin.write(`${JSON.stringify({ id: ids, sql, connection })}\n`)
      }),
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
    async close() {
      child.stdin.end()
      await ended
    },
  }
}
