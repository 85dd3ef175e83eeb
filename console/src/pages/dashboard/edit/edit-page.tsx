import { useEffect, useState } from 'preact/hooks'
import { type ApiError, toApiError } from '../../../api/api-error.ts'
import { callFull } from '../../../api/call.ts'
import { may } from '../../../api/session.ts'
import { Page } from '../../../frame/page.tsx'
import { ReadsOnly } from '../../../frame/reads-only.tsx'
import { ErrorBox } from '../../../kit/error-box.tsx'
import { Skeleton } from '../../../kit/skeleton.tsx'
import '../dashboard.css'
import type { Dashboard } from '../dashboard-types.ts'
import { EditBody } from './edit-body.tsx'
import './edit.css'

const crumbs = [{ name: 'Dashboards', href: '/dashboards' }]

export interface Saved {
  dashboard: Dashboard
  /** Sent back with the next save. */
  version: string | null
}

/** The layout of a dashboard. It is read once: what others save meanwhile is said when this is saved. */
export function EditPage({ params }: { params: { dashboardId: string } }) {
  const { dashboardId } = params
  const [saved, setSaved] = useState<Saved | null>(null)
  const [error, setError] = useState<ApiError | null>(null)
  const load = async () => {
    try {
      const { result, version } = await callFull('dashboards.get', { params: { dashboardId } })
      setError(null)
      setSaved({ dashboard: result, version })
    } catch (thrown) {
      setError(toApiError(thrown))
    }
  }
  useEffect(() => void load(), [dashboardId])
  if (!may('dashboards:manage')) {
    return (
      <Page title="Edit the dashboard" crumbs={crumbs}>
        <ReadsOnly lacks="dashboards:manage" cannot="change dashboards" />
      </Page>
    )
  }
  if (saved) return <EditBody key={`${saved.dashboard.id} ${saved.version}`} saved={saved} onReload={load} />
  return (
    <Page title="Edit the dashboard" crumbs={crumbs} layout="wide">
      {error ? <ErrorBox error={error} retry={load} /> : <Skeleton rows={8} />}
    </Page>
  )
}
