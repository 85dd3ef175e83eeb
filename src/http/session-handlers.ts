import type { sessionOperations } from '../api/session-operations.ts'
import { createSession, deleteSession, describeCaller, listSessions } from '../control/sessions.ts'
import { AppError } from '../domain/errors.ts'
import { answerPage, type Handlers } from './handler.ts'
import { clearedCookie, cookieOf } from './session-cookie.ts'

/** Sessions of browsers; the secret of a session leaves in its cookie only. */
export const sessionHandlers: Handlers<keyof typeof sessionOperations> = {
  'session.create': async (control, call) => {
    const { caller, isSecure } = call
    const { secret, session } = await createSession(control, caller)
    call.header('set-cookie', cookieOf(secret, isSecure))
    return describeCaller(control, { ...caller, session })
  },
  'session.get': (control, { caller }) => describeCaller(control, caller),
  'session.delete': async (control, call) => {
    const { caller, isSecure } = call
    if (caller.session) await deleteSession(control, caller, caller.session.id).catch(unlessGone)
    call.header('set-cookie', clearedCookie(isSecure))
    return {}
  },
  'sessions.list': async (control, call) =>
    answerPage(call, await listSessions(control, call.caller, call.query)),
  'sessions.delete': (control, { caller, params }) => deleteSession(control, caller, params.sessionId),
}

/** Somebody else has ended the session a moment ago: the caller wants no more. */
function unlessGone(error: unknown): void {
  if (!(error instanceof AppError) || error.code !== 'NOT_FOUND') throw error
}
