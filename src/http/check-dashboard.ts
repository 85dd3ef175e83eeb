import { type BodyOf, operation, type ResultOf } from '../api/operations.ts'
import type { Caller, ControlContext } from '../control/context.ts'
import { checkDashboard } from '../control/dashboards.ts'
import type { DashboardContent } from '../domain/dashboard/types.ts'
import { AppError } from '../domain/errors.ts'
import type { Issue } from '../domain/issue.ts'
import { rehearse } from './rehearse.ts'
import { createValidator, type Validate } from './validate.ts'

type Check = ResultOf<'dashboards.validate'>

const creation = operation('dashboards.create')
let validate: Validate | undefined

/** Judges a body as the creation of a dashboard would, by the schema and by the rules, and stores nothing. */
export async function judgeDashboard(control: ControlContext, caller: Caller, body: unknown): Promise<Check> {
  validate ??= createValidator(creation)
  const issues = validate({ params: {}, query: {}, body })
  const check = (dry: ControlContext, given: unknown) =>
    checkDashboard(dry, caller, given as BodyOf<'dashboards.create'>)
  if (issues.length > 0) return refused(await rehearse(creation, body, issues, check, control))
  try {
    const { normalized, warnings } = await check(control, body)
    const told = warnings as Check['warnings']
    return { valid: true, errors: [], warnings: told, normalized: withoutIds(normalized) }
  } catch (error) {
    if (!(error instanceof AppError) || error.issues.length === 0) throw error
    return refused(error.issues)
  }
}

const refused = (issues: readonly Issue[]): Check => ({
  ...{ valid: false, errors: issues as Check['errors'], warnings: [], normalized: null },
})

export const withoutIds = (content: DashboardContent) => ({
  ...content,
  tiles: content.tiles.map(({ id: _, ...tile }) => tile),
})
