import type { DashboardRecord } from '../dashboard/types.ts'
import type { Issue } from '../issue.ts'
import type { AlertInput, AlertSettings } from './types.ts'

/** The settings with their defaults, or everything that is wrong with the body. */
export function planAlert(
  body: AlertInput,
  dashboard: DashboardRecord | null,
): { settings: AlertSettings } | { issues: Issue[] } {
  const { message = '', enabled = true, numConsecutiveWindows = 1, thresholdMax } = body
  const issues = [...tileIssues(body, dashboard), ...thresholdIssues(body), ...channelIssues(body.channel)]
  if (issues.length > 0) return { issues }
  const { name, dashboardId, tileId, interval, threshold, thresholdType, channel } = body
  return {
    settings: {
      ...{ name, message, enabled, dashboardId, tileId, interval, threshold, thresholdType },
      ...(thresholdMax !== undefined && { thresholdMax }),
      ...{ numConsecutiveWindows, url: channel.url },
    },
  }
}

const watched: ReadonlySet<string> = new Set(['time', 'number', 'table'])

function tileIssues({ tileId }: AlertInput, dashboard: DashboardRecord | null): Issue[] {
  if (!dashboard) return [{ path: ['dashboardId'], code: 'not_found', message: 'no such dashboard' }]
  const tile = dashboard.tiles.find(({ id }) => id === tileId)
  if (!tile) return [{ path: ['tileId'], code: 'not_found', message: 'the dashboard has no such tile' }]
  if (watched.has(tile.series[0]?.type ?? '')) return []
  return [{ path: ['tileId'], code: 'not_allowed', message: 'must be a tile of type time, number or table' }]
}

function thresholdIssues({ threshold, thresholdType, thresholdMax }: AlertInput): Issue[] {
  const path = ['thresholdMax']
  const isRange = thresholdType === 'between' || thresholdType === 'not_between'
  if (isRange && thresholdMax === undefined)
    return [{ path, code: 'required', message: `${thresholdType} needs it` }]
  if (!isRange && thresholdMax !== undefined)
    return [{ path, code: 'not_allowed', message: 'belongs to between and not_between' }]
  if (thresholdMax === undefined || thresholdMax >= threshold) return []
  return [{ path, code: 'out_of_range', message: 'must be at least threshold' }]
}

function channelIssues({ url, secret }: AlertInput['channel']): Issue[] {
  const issues: Issue[] = []
  const parsed = URL.parse(url)
  if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.hostname === '') {
    issues.push({ path: ['channel', 'url'], code: 'invalid_format', message: 'must be an http or https URL' })
  }
  if (secret !== undefined && readWebhookSecret(secret) === null) {
    const message = 'must be whsec_ and base64 of 24 to 64 bytes'
    issues.push({ path: ['channel', 'secret'], code: 'invalid_format', message })
  }
  return issues
}

/** The bytes that sign; null = the text is no secret. */
export function readWebhookSecret(text: string): Buffer | null {
  const encoded = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text)?.[1]
  if (encoded === undefined) return null
  const bytes = Buffer.from(encoded, 'base64')
  const isWhole = bytes.toString('base64').replace(/=+$/, '') === encoded.replace(/=+$/, '')
  return isWhole && bytes.length >= 24 && bytes.length <= 64 ? bytes : null
}
