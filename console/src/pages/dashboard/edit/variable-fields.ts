import type { Dashboard, Variable } from '../dashboard-types.ts'

/** A variable as its form holds it: lists are texts with one value per line. */
export interface VariableFields {
  name: string
  label: string
  kind: Variable['kind']
  values: string
  sql: string
  dataSource: string
  default: string
  multi: boolean
}

export const emptyFields: VariableFields = {
  ...{ name: '', label: '', kind: 'list', values: '', sql: '' },
  ...{ dataSource: 'events', default: '', multi: false },
}

export function fieldsOf({ default: first, values = [], ...rest }: Variable): VariableFields {
  return {
    ...{ ...emptyFields, ...rest, values: values.join('\n') },
    default: Array.isArray(first) ? first.join('\n') : (first ?? ''),
  }
}

/** Only what its kind may carry. */
export function variableOf(fields: VariableFields): Variable {
  const { name, label, kind, values, sql, dataSource, multi } = fields
  const first = linesOf(fields.default)
  return {
    ...{ name, kind },
    ...(label.trim() === '' ? {} : { label: label.trim() }),
    ...(kind === 'list' ? { values: linesOf(values) } : {}),
    ...(kind === 'query' ? { sql: sql.trim(), dataSource } : {}),
    ...(first[0] === undefined ? {} : { default: multi ? first : first[0] }),
    ...(multi ? { multi } : {}),
  }
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)

/** Puts the variable in the place of the one of that name, or at the end; texts that use its former name follow. */
export function withVariable(dashboard: Dashboard, former: string | null, variable: Variable): Dashboard {
  const { variables = [] } = dashboard
  if (former === null) return { ...dashboard, variables: [...variables, variable] }
  const changed = variables.map((one) => (one.name === former ? variable : one))
  return former === variable.name
    ? { ...dashboard, variables: changed }
    : mapTexts({ ...dashboard, variables: changed }, (text) => renamed(text, former, variable.name))
}

export function withoutVariable(dashboard: Dashboard, name: string): Dashboard {
  const { variables = [], ...rest } = dashboard
  const left = variables.filter((one) => one.name !== name)
  return left.length === 0 ? rest : { ...rest, variables: left }
}

/** The names of the tiles that ask with the variable. */
export const tilesWith = ({ tiles }: Dashboard, name: string): string[] =>
  tiles
    .filter(({ series }) => series.some(({ where, sql = '' }) => usesIn(where, name) || usesIn(sql, name)))
    .map((tile) => tile.name || 'an untitled tile')

function mapTexts(dashboard: Dashboard, change: (text: string) => string): Dashboard {
  const withSql = <T extends { sql?: string }>(one: T): T =>
    one.sql === undefined ? one : { ...one, sql: change(one.sql) }
  return {
    ...dashboard,
    variables: (dashboard.variables ?? []).map(withSql),
    tiles: dashboard.tiles.map((tile) => ({
      ...tile,
      series: tile.series.map((one) => withSql({ ...one, where: change(one.where) })),
    })),
  }
}

/** `$name` and `${name}`, but not `$names`, nor the tag of a `$name$` heredoc. */
const useOf = (name: string) => new RegExp(String.raw`\$(?:${name}(?![\w$])|\{${name}\})`, 'g')
const usesIn = (text: string, name: string): boolean => useOf(name).test(text)
const renamed = (text: string, from: string, to: string): string =>
  text.replaceAll(useOf(from), (use) => (use.startsWith('${') ? `\${${to}}` : `$${to}`))
