import { useResource } from '../../api/resource.ts'
import { Page } from '../../frame/page.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import './dashboard.css'
import { DashboardBody } from './dashboard-body.tsx'

const crumbs = [{ name: 'Dashboards', href: '/dashboards' }]

export function DashboardPage({ params }: { params: { dashboardId: string } }) {
  const { dashboardId } = params
  const resource = useResource('dashboards.get', { params: { dashboardId } })
  const dashboard = resource.data.value
  if (dashboard) return <DashboardBody key={dashboard.id} dashboard={dashboard} resource={resource} />
  return (
    <Page title="Dashboard" crumbs={crumbs} layout="wide">
      <Loaded resource={resource} rows={8}>
        {() => null}
      </Loaded>
    </Page>
  )
}
