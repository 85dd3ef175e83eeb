import { ClientError } from '../client/client-error.ts'
import { formatPath } from '../domain/issue.ts'
import { printable } from './text.ts'

export const exitCodes = {
  ok: 0,
  /** The API refused, or the state that was waited for did not come. */
  refused: 1,
  usage: 2,
  /** No answer, or an error of the server. */
  unavailable: 3,
  interrupted: 130,
} as const
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** A failure of the command line itself. */
export class CliError extends Error {
  readonly exitCode: ExitCode
  readonly code: string
  /** Further lines: what the user can do about the failure. */
  readonly hints: readonly string[]

  constructor(exitCode: ExitCode, code: string, message: string, hints: readonly string[] = []) {
    super(message)
    this.name = 'CliError'
    this.exitCode = exitCode
    this.code = code
    this.hints = hints
  }
}

export const usageError = (message: string, hints: readonly string[] = []): CliError =>
  new CliError(exitCodes.usage, 'USAGE', message, hints)
export const refusedError = (code: string, message: string, hints: readonly string[] = []): CliError =>
  new CliError(exitCodes.refused, code, message, hints)

export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CliError) return error.exitCode
  if (!(error instanceof ClientError)) return exitCodes.unavailable
  if (error.code === 'NO_CREDENTIAL' || error.code === 'BAD_CALL') return exitCodes.usage
  return error.status >= 400 && error.status < 500 ? exitCodes.refused : exitCodes.unavailable
}

/** The failure as text: one line for what happened, then one line for each detail. */
export function failureLines(error: unknown): string[] {
  if (error instanceof ClientError) {
    const where = error.status > 0 ? ` (${error.status} ${error.code})` : ''
    // Leaves out values that the message already contains.
    const extra = Object.entries(error.extra)
      .filter(([, value]) => !error.message.includes(inline(value)))
      .map(([name, value]) => `${name}: ${inline(value)}`)
    const issues = error.issues.map((issue) => `${formatPath(issue.path) || 'body'}: ${issue.message}`)
    const request = error.requestId ? [`request id: ${error.requestId}`] : []
    return [`error: ${summary(error)}${where}`, ...indent([...issues, ...extra, ...request])]
  }
  if (error instanceof CliError) return [`error: ${printable(error.message)}`, ...indent(error.hints)]
  return [`error: ${printable(error instanceof Error ? error.message : String(error))}`]
}

/** The failure as one JSON object that includes the fields of the API's own error. */
export function failureObject(error: unknown): object {
  const message = error instanceof Error ? error.message : String(error)
  const exitCode = exitCodeOf(error)
  if (error instanceof ClientError) {
    const { status, code, issues, requestId, extra } = error
    return { error: { ...extra, status, code, message, issues, requestId, exitCode } }
  }
  if (error instanceof CliError) {
    return { error: { code: error.code, message, hints: error.hints, exitCode } }
  }
  return { error: { code: 'INTERNAL_ERROR', message, exitCode } }
}

/** The text of a 400 repeats its issues, which get lines of their own here. */
function summary({ message, issues, status }: ClientError): string {
  const [first] = issues
  if (status !== 400 || !first || !message.startsWith(`${formatPath(first.path)}: `))
    return printable(message)
  return issues.length === 1 ? 'a field is wrong' : `${issues.length} fields are wrong`
}

function inline(value: unknown): string {
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return value.join(', ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const indent = (lines: readonly string[]): string[] => lines.map((line) => `  ${printable(line)}`)
