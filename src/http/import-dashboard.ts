import { operation, type ResultOf } from '../api/operations.ts'
import { closed } from '../api/schema.ts'
import type { ControlContext } from '../control/context.ts'
import { checkDashboard, createDashboard, readGrafana } from '../control/dashboards.ts'
import { type DashboardInput, importFormats, type ReplaceInput } from '../domain/dashboard/types.ts'
import { AppError, invalid, refuse } from '../domain/errors.ts'
import { type Issue, under } from '../domain/issue.ts'
import { withoutIds } from './check-dashboard.ts'
import type { Call } from './handler.ts'
import { createValidator, type Validate } from './validate.ts'

/** Stores, or in a dry run only shows, what a dashboard of Grafana or one that was read here becomes. */
export async function importDashboard(
  control: ControlContext,
  { caller, body }: Pick<Call<'dashboards.import'>, 'caller' | 'body'>,
): Promise<ResultOf<'dashboards.import'>> {
  const { format, dashboard: given, dataSource = 'events', dryRun = false } = body
  // A rehearsal may come with a format that is none.
  if (!importFormats.includes(format)) throw new AppError('BAD_REQUEST', 'there is no such format')
  const { body: wanted, report } =
    format === 'grafana' ? readGrafana(control, given, dataSource) : { body: readOwn(given), report: [] }
  try {
    if (dryRun)
      return { dashboard: withoutIds((await checkDashboard(control, caller, wanted)).normalized), report }
    const { dashboard } = await createDashboard(control, caller, wanted)
    return { dashboard, report }
  } catch (error) {
    if (!(error instanceof AppError) || error.issues.length === 0) throw error
    throw invalid(under(['dashboard'], error.issues))
  }
}

let validate: Validate | undefined

/** The issues of what a read answers, ids optional, by its schema. */
export function exportedIssues(given: unknown): readonly Issue[] {
  // A replacement takes what a read answers; here it has no path.
  validate ??= createValidator({ ...operation('dashboards.replace'), params: closed({}) })
  return validate({ params: {}, query: {}, body: given })
}

/** What a read answers, without its ids. */
function readOwn(given: unknown): DashboardInput {
  refuse(under(['dashboard'], exportedIssues(given)))
  const { id: _, tiles, ...rest } = given as ReplaceInput
  return { ...rest, ...(tiles && { tiles: tiles.map(({ id: _id, ...tile }) => tile) }) }
}
