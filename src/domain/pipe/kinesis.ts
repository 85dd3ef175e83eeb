import type { Issue } from '../issue.ts'
import { under } from '../issue.ts'
import type { KinesisInput } from './input.ts'
import { kinesisTimestampEnd } from './limits.ts'
import { issue, missing, missingTexts, notAllowed } from './rule.ts'
import { readAccessKey } from './secrets.ts'
import type { KinesisSource, PipeSecrets } from './types.ts'

/** Fills in the defaults and separates the secrets. */
export function resolveKinesis(input: KinesisInput): {
  source: KinesisSource
  secrets: PipeSecrets
  issues: Issue[]
} {
  const { value: accessKey, issues } = readAccessKey(input.accessKey)
  const timestamp = input.timestamp ?? 0
  const iamRole = input.iamRole ?? ''
  return {
    source: {
      format: input.format ?? 'JSONEachRow',
      streamName: input.streamName ?? '',
      region: input.region ?? '',
      useEnhancedFanOut: input.useEnhancedFanOut ?? false,
      iteratorType: input.iteratorType ?? (timestamp === 0 ? 'TRIM_HORIZON' : 'AT_TIMESTAMP'),
      timestamp,
      authentication:
        input.authentication || (accessKey !== undefined ? 'IAM_USER' : iamRole === '' ? '' : 'IAM_ROLE'),
      iamRole,
    },
    secrets: accessKey === undefined ? {} : { accessKey },
    issues: under(['accessKey'], issues),
  }
}

/** Rules on a whole source, except for its secrets. */
export function checkKinesis(source: KinesisSource): Issue[] {
  const issues = missingTexts(source, ['streamName', 'region'])
  if (source.streamName !== '' && !/^[A-Za-z0-9._-]{1,128}$/.test(source.streamName)) {
    const message = 'At most 128 letters, digits, dots, underscores and hyphens are expected.'
    issues.push(issue(['streamName'], 'invalid_format', message))
  }
  if (source.authentication === '') {
    issues.push(missing(['accessKey'], 'A stream is never public: send accessKey or iamRole.'))
  }
  if (source.authentication === 'IAM_ROLE' && source.iamRole === '') issues.push(missing(['iamRole']))
  return [...issues, ...checkStart(source)]
}

function checkStart({ iteratorType, timestamp }: KinesisSource): Issue[] {
  if (timestamp >= kinesisTimestampEnd) {
    const message = 'It is in seconds since 1970; this looks like milliseconds.'
    return [issue(['timestamp'], 'out_of_range', message)]
  }
  if (iteratorType === 'AT_TIMESTAMP') return timestamp === 0 ? [missing(['timestamp'])] : []
  if (timestamp === 0) return []
  return [notAllowed(['timestamp'], 'It is used only with the iteratorType AT_TIMESTAMP.')]
}
