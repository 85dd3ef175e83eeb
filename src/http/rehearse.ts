import type { Operation } from '../api/operation.ts'
import type { ControlContext } from '../control/context.ts'
import { AppError } from '../domain/errors.ts'
import type { Issue } from '../domain/issue.ts'

/**
 * A caller should see everything that is wrong at once, including rules across fields, which can only be
 * checked if the fields themselves are right. So a body with wrong fields is rehearsed without them: the
 * request is carried out in a transaction that is always rolled back, and the issues of the rules are added to
 * those of the schema. If other fields depend on a wrong field, nothing is rehearsed: a caller should not see
 * issues that are only consequences.
 */
export async function rehearse(
  operation: Operation,
  body: unknown,
  issues: readonly Issue[],
  carryOut: (control: ControlContext, body: unknown) => Promise<unknown>,
  control: ControlContext,
): Promise<readonly Issue[]> {
  const repaired = repair(operation, body, issues)
  if (repaired === null) return issues
  try {
    await carryOut(rollingBack(control), repaired)
  } catch (error) {
    // Errors other than a broken rule (a wrong state, a missing resource) are reported once the body is right.
    if (!(error instanceof AppError)) return issues
    return [...issues, ...error.issues.filter((issue) => !issues.some((told) => concerns(told, issue)))]
  }
  return issues
}

/** The body without its wrong fields; null when a field would be missing that the rules depend on. */
function repair(operation: Operation, body: unknown, issues: readonly Issue[]): object | null {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return null
  const copy = structuredClone(body)
  return issues.every((issue) => repairOne(operation, copy, issue)) ? copy : null
}

function repairOne(operation: Operation, body: object, { path, code }: Issue): boolean {
  const [first, ...rest] = path
  if (typeof first !== 'string' || first === 'path' || first === 'query') return false
  if (code === 'unknown_field') return remove(body, path)
  const schema = operation.body as { properties?: Record<string, { type?: unknown }> } | undefined
  const type = schema?.properties?.[first]?.type
  // Any valid value will do: issues of the rules at this field are dropped.
  if (rest.length === 0)
    return type === 'string' ? put(body, path, 'x') : isScalar(type) && remove(body, path)
  if (!operation.independent?.includes(first)) return false
  // A wrong item of a list is removed, and the others keep their positions. Lists in nested objects are not
  // repaired, because rules may look at them.
  if (typeof rest[0] === 'number') return remove(body, [first, rest[0]])
  return rest.every((part) => typeof part === 'string') && put(body, path, 'x')
}

const isScalar = (type: unknown): boolean => type === 'number' || type === 'integer' || type === 'boolean'
const remove = (body: object, path: Issue['path']) =>
  at(body, path, (holder, name) => Reflect.deleteProperty(holder, name))
const put = (body: object, path: Issue['path'], value: unknown) =>
  at(body, path, (holder, name) => Reflect.set(holder, name, value))

function at(body: object, path: Issue['path'], act: (holder: object, name: string | number) => void): true {
  let holder: unknown = body
  for (const part of path.slice(0, -1)) holder = (holder as Record<string, unknown> | undefined)?.[part]
  const name = path.at(-1)
  if (typeof holder === 'object' && holder !== null && name !== undefined) act(holder, name)
  return true
}

/** The control layer writes only in transactions; here each of them is rolled back. */
function rollingBack(control: ControlContext): ControlContext {
  const { store } = control
  const transaction: typeof store.transaction = async (work) => {
    let result: Awaited<ReturnType<typeof work>> | undefined
    const end = new Error('rehearsed')
    await store
      .transaction(async (tx) => {
        result = await work(tx)
        throw end
      })
      .catch((error: unknown) => {
        if (error !== end) throw error
      })
    return result as Awaited<ReturnType<typeof work>>
  }
  const nobody = () => {}
  return {
    ...control,
    store: { ...store, transaction },
    dataPlane: { ...control.dataPlane, openEndpoint: async () => {} },
    // A repaired body says nothing about the user's bucket, so no bucket is tried.
    tryBackupLocation: null,
    // Nor is any table or source read.
    tables: null,
    pipeChecks: null,
    webhookRefusal: async () => null,
    wake: nobody,
    keysChanged: nobody,
    loginsChanged: nobody,
  }
}

/** Whether `issue` is at the place of `told`, which is already reported, or below it. */
function concerns(told: Issue, issue: Issue): boolean {
  return told.path.every((part, index) => part === issue.path[index])
}
