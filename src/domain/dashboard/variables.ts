import type { Issue } from '../issue.ts'
import { under } from '../issue.ts'
import type { DashboardVariable, VariableKind } from './types.ts'

/** The fields that belong to a kind; the first of them is required. */
const fieldsOf: Record<VariableKind, readonly ('values' | 'sql' | 'dataSource')[]> = {
  text: [],
  list: ['values'],
  query: ['sql', 'dataSource'],
}

export function variableIssues(variables: readonly DashboardVariable[]): Issue[] {
  const seen = new Set<string>()
  return variables.flatMap((variable, index) => {
    const issues = fieldIssues(variable)
    if (seen.has(variable.name)) {
      issues.push({ path: ['name'], code: 'duplicate', message: 'an earlier variable has this name' })
    }
    seen.add(variable.name)
    return under([index], issues)
  })
}

function fieldIssues(variable: DashboardVariable): Issue[] {
  const { kind } = variable
  const own = fieldsOf[kind]
  const issues: Issue[] = []
  const [required] = own
  if (required && variable[required] === undefined) {
    issues.push({ path: [required], code: 'required', message: `a ${kind} variable needs it` })
  }
  for (const name of ['values', 'sql', 'dataSource'] as const) {
    if (variable[name] === undefined || own.includes(name)) continue
    issues.push({ path: [name], code: 'not_allowed', message: `does not belong to a ${kind} variable` })
  }
  if (Array.isArray(variable.default) && variable.multi !== true) {
    issues.push({ path: ['default'], code: 'invalid_type', message: 'can be a list only with multi' })
  }
  return issues
}
