import { formatJson } from './code.ts'

/** The shell variable that stands for each id; `KEY_ID` is taken by what one logs in with. */
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
  /** undefined = none. */
  body?: unknown
}

/** A command that works as it stands once the variables are set. */
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

/** Nothing is special between single quotes but the quote itself. */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
