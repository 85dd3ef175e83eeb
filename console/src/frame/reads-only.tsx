import type { Permission } from '../../../src/domain/key/permissions.ts'
import { may, session } from '../api/session.ts'
import { Notice } from '../kit/notice.tsx'

/** The one line of a page that says why its actions are absent; nothing where the key has the permission. */
export function ReadsOnly(props: { lacks: Permission; serviceId?: string; cannot: string }) {
  const { lacks, serviceId, cannot } = props
  if (may(lacks, serviceId)) return null
  const isForSome = serviceId === undefined && session.value?.services !== 'all'
  return (
    <Notice hue="rest">
      {isForSome ? 'This key is for some services only' : 'This key only reads'}: it cannot {cannot}.
    </Notice>
  )
}
