import { formatJson } from './code.ts'

/** The shell variable of each id; `KEY_ID` is already the variable for logging in. */
const pathVariables: Record<string, string> = {
  organizationId: 'ORG',
  serviceId: 'SERVICE',
  pipeId: 'PIPE',
  backupId: 'BACKUP',
  keyId: 'KEY',
  activityId: 'ACTIVITY',
  quotaCode: 'QUOTA',
  dashboardId: 'DASHBOARD',
}

export interface CurlRequest {
  api: 'management' | 'dashboards'
  method: string
  path: string
  /** undefined = no body. */
  body?: unknown
}

/** A command that works unchanged once the variables are set. */
export function curlCommand({ api, method, path, body }: CurlRequest): string {
  const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `$${pathVariables[name] ?? name}`)
  const verb = method === 'GET' ? '' : `-X ${method} `
  const credential = api === 'management' ? '-u "$KEY_ID:$KEY_SECRET"' : '-H "Authorization: Bearer $TOKEN"'
  const lines = [`curl ${verb}"$GRANARY_URL${url}"`, credential]
  if (body !== undefined) {
    lines.push('-H "Content-Type: application/json"', `-d ${shellQuote(formatJson(body, '  '))}`)
  }
  return lines.join(' \\\n  ')
}

/** Between single quotes, only the quote itself is special. */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
