import { useEffect } from 'preact/hooks'
import { useResource } from '../../api/resource.ts'
import { may } from '../../api/session.ts'
import { Page } from '../../frame/page.tsx'
import { markUsed, recentFirst } from '../../frame/recent.ts'
import { Button } from '../../kit/button.tsx'
import { Empty } from '../../kit/empty.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { navigate } from '../../lib/address.ts'
import './sql-page.css'
import { Workbench } from './workbench.tsx'

/** Statements on a service: schema, query tabs, editor, result. Without a service in the address, the one used last. */
export function SqlPage({ params }: { params: { serviceId?: string; queryId?: string } }) {
  const services = useResource('services.list', {}, { pace: 'slow' })
  const { serviceId } = params
  const all = services.data.value
  const first = all && recentFirst(all)[0]
  const chosen = all?.find(({ id }) => id === serviceId)
  useEffect(() => {
    if (serviceId === undefined && first) void navigate(`/sql/${first.id}`, { replace: true })
  }, [serviceId, first?.id])
  useEffect(() => {
    if (chosen) markUsed(chosen.id)
  }, [chosen?.id])
  return (
    <Page
      title={chosen ? `SQL on ${chosen.name}` : 'SQL'}
      layout="flush"
      {...(chosen ? { crumbs: [{ name: 'SQL', href: '/sql' }], crumb: chosen.name } : {})}
    >
      <Loaded resource={services} rows={8}>
        {(list) => {
          if (chosen)
            return <Workbench key={chosen.id} service={chosen} services={list} queryId={params.queryId} />
          if (serviceId === undefined && list.length > 0) return null
          return (
            <Empty
              icon="sql"
              title={
                serviceId === undefined ? 'No service answers statements yet.' : 'There is no such service.'
              }
              actions={
                list.length > 0 ? (
                  <Button href="/sql">Choose another</Button>
                ) : (
                  may('services:create') && (
                    <Button tone="primary" icon="plus" href="/services/new">
                      New service
                    </Button>
                  )
                )
              }
            />
          )
        }}
      </Loaded>
    </Page>
  )
}
