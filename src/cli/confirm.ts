import { refusedError, usageError } from './failure.ts'
import type { Session } from './session.ts'

/** Asks before something is lost; without a terminal, `--yes` is required instead. */
export async function confirm({ io }: Session, question: string, { yes }: { yes?: true }): Promise<void> {
  if (yes) return
  if (!io.isInteractive) throw usageError('without a terminal to ask on, this needs --yes')
  const answer = await io.ask(`${question} [y/N] `)
  io.signal.throwIfAborted()
  if (!/^y(es)?$/i.test(answer.trim())) throw refusedError('DECLINED', 'nothing was changed')
}
