import { dashboardLimits as limits } from '../limits.ts'
import type { DashboardVariable } from '../types.ts'
import { cut, isObject, type Json, listOf, objectOf, textOf } from './json.ts'
import type { Report } from './report.ts'
import { carrySql, isClickHouse } from './sql.ts'

/** The variables of a dashboard that have a kind here; the others are told. */
export function carryVariables(templating: unknown, dataSource: string, report: Report): DashboardVariable[] {
  const names = new Set<string>()
  const carried: DashboardVariable[] = []
  for (const [index, each] of listOf(objectOf(templating)['list']).entries()) {
    const path = `templating.list[${index}]`
    const given = objectOf(each)
    const name = textOf(given['name'])
    const refusal = refusalOf(name, names, carried.length)
    const variable = refusal === null ? carryVariable(given, name, path, dataSource, report) : refusal
    if (typeof variable === 'string') {
      report.add(path, 'variable', variable)
      continue
    }
    names.add(name)
    carried.push(variable)
    report.unlessEmpty(given['regex'], `${path}.regex`, 'regex')
    report.unlessEmpty(given['allValue'], `${path}.allValue`, 'allValue')
  }
  return carried
}

function refusalOf(name: string, names: ReadonlySet<string>, count: number): string | null {
  if (!/^[A-Za-z]\w{0,63}$/.test(name)) return 'a name here is a letter, then letters, digits and _'
  if (names.has(name)) return 'an earlier variable has this name'
  return count >= limits.variables ? `a dashboard has at most ${limits.variables} variables` : null
}

/** The variable, or why it is not carried over. */
function carryVariable(
  given: Json,
  name: string,
  path: string,
  dataSource: string,
  report: Report,
): DashboardVariable | string {
  const label = textOf(given['label'])
  const head = { name, ...(label !== '' && { label: cut(label, limits.variableTextLength) }) }
  const type = textOf(given['type'])
  switch (type) {
    case 'textbox': {
      const value = currentOf(given) ?? textOf(given['query'])
      return { ...head, kind: 'text', ...defaultOf(value === '' ? undefined : value, false) }
    }
    case 'constant': {
      const value = short(textOf(given['query']))
      return { ...head, kind: 'list', values: [value], default: value }
    }
    case 'custom': {
      const values = choicesOf(given)
      const kept = values.filter((value) => value.length <= limits.variableTextLength)
      if (kept.length < values.length || kept.length > limits.variableValues)
        report.add(path, 'options', 'choices that are too long or too many are left out')
      const multi = given['multi'] === true
      const rest = { values: kept.slice(0, limits.variableValues), ...(multi && { multi }) }
      return { ...head, kind: 'list', ...rest, ...defaultOf(currentOf(given), multi) }
    }
    case 'query': {
      const query = given['query']
      const text = isObject(query) ? textOf(query['rawSql']) || textOf(query['query']) : textOf(query)
      if (!isClickHouse(given['datasource'])) return 'its data source is not ClickHouse'
      const sql = text === '' ? null : carrySql(text, `${path}.query`, report)
      if (sql === null || sql === '') return 'it has no SQL that could be carried over'
      const multi = given['multi'] === true
      const from = { sql, ...(dataSource !== 'events' && { dataSource }), ...(multi && { multi }) }
      return { ...head, kind: 'query', ...from, ...defaultOf(currentOf(given), multi) }
    }
    default:
      return `variables of type ${type || 'unknown'} have no counterpart here`
  }
}

/** The chosen value or values; undefined = every value, or none is chosen. */
function currentOf(given: Json): string | string[] | undefined {
  const { value } = objectOf(given['current'])
  if (typeof value === 'string') return value === '$__all' ? undefined : value
  const values = listOf(value).filter((each): each is string => typeof each === 'string')
  return values.length === 0 || values.includes('$__all') ? undefined : values
}

function defaultOf(value: string | string[] | undefined, multi: boolean): Pick<DashboardVariable, 'default'> {
  if (value === undefined) return {}
  if (typeof value === 'string') return { default: short(value) }
  const values = value.slice(0, limits.variableValues).map(short)
  return { default: multi ? values : (values[0] ?? '') }
}

/** Of `text : value` the value counts. */
function choicesOf(given: Json): string[] {
  const options = listOf(given['options']).map((option) => textOf(objectOf(option)['value']))
  const listed = options.filter((value) => value !== '' && value !== '$__all')
  if (listed.length > 0) return listed
  return textOf(given['query'])
    .split(/(?<!\\),/)
    .map((part) => part.replaceAll('\\,', ',').trim())
    .map((part) => / : (.*)$/s.exec(part)?.[1]?.trim() ?? part)
    .filter((value) => value !== '')
}

const short = (text: string): string => cut(text, limits.variableTextLength)
