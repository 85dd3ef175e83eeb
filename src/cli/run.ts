import { CommanderError } from 'commander'
import { type ExitCode, exitCodeOf, exitCodes, usageError } from './failure.ts'
import type { CliIo } from './io.ts'
import { createOutput } from './output.ts'
import { createProgram } from './program.ts'
import { explainCredential, openSession } from './session.ts'

/** Runs one command line and returns its exit code. All I/O goes through `io`. */
export async function runCli(io: CliIo): Promise<ExitCode> {
  // Read without the parser, because the parser's own error messages depend on these flags.
  const output = createOutput(io, {
    json: io.argv.includes('--json'),
    quiet: io.argv.includes('--quiet') || io.argv.includes('-q'),
  })
  let complaint = ''
  const program = createProgram(
    async (definition, operands, options, flags) => {
      const session = await openSession(io, flags, output)
      try {
        await definition.run(session, operands, options)
      } catch (error) {
        throw explainCredential(error, session.settings)
      }
    },
    {
      out: (text) => io.stdout.write(text),
      error: (text) => {
        complaint += text
      },
    },
  )
  try {
    await program.parseAsync(io.argv, { from: 'user' })
    return exitCodes.ok
  } catch (error) {
    if (io.signal.aborted) {
      output.progress('interrupted')
      return exitCodes.interrupted
    }
    if (!(error instanceof CommanderError)) {
      output.failure(error)
      return exitCodeOf(error)
    }
    if (error.exitCode === 0) return exitCodes.ok
    if (error.code === 'commander.help') {
      // A noun without its verb: shows the help of the noun.
      io.stderr.write(complaint)
      return exitCodes.usage
    }
    output.failure(usageError(...describe(complaint)))
    return exitCodes.usage
  }
}

/** The parser's error and its suggestion, without the values that it repeats: one of them may be a secret. */
function describe(complaint: string): [message: string, hints: string[]] {
  const [first = '', ...rest] = complaint.trim().split('\n')
  const message = first
    .replace(/^error: /, '')
    .replaceAll(/(--?[\w-]+)=[^']*/g, '$1=…')
    .replace(/(but got \d+): .*/, '$1.')
  return [message, [...rest.filter((line) => line !== ''), 'see --help']]
}
