import { useResource } from '../../api/resource.ts'
import { may } from '../../api/session.ts'
import { Button } from '../../kit/button.tsx'
import { DataTable } from '../../kit/data-table.tsx'
import { Empty } from '../../kit/empty.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Panel } from '../../kit/panel.tsx'
import { useQuery } from '../../lib/url-state.ts'
import { pipeColumns } from '../pipes/pipe-columns.tsx'
import { ServiceFrame } from './service-frame.tsx'

/** The pipes that write into the service. */
export function ServicePipesPage({ params: { serviceId } }: { params: { serviceId: string } }) {
  const pipes = useResource(
    'organizations.pipes',
    {},
    { pace: (all) => (all?.some(({ state }) => state === 'Running') ? 'fast' : 'slow') },
  )
  const sort = useQuery('sort')
  const add = may('pipes:manage', serviceId) && (
    <Button size="small" icon="plus" href={`/services/${serviceId}/pipes/new`}>
      New pipe
    </Button>
  )
  return (
    <ServiceFrame serviceId={serviceId} tab="Pipes">
      {({ name }) => (
        <Panel title={`Pipes into ${name}`} tools={add}>
          <Loaded resource={pipes}>
            {(all) => {
              const own = all.filter((pipe) => pipe.serviceId === serviceId)
              return own.length === 0 ? (
                <Empty icon="pipe" title={`No pipe writes into ${name} yet.`}>
                  From Kafka, object storage, Kinesis or Postgres; each record exactly once.
                </Empty>
              ) : (
                <DataTable
                  label="Pipes"
                  rows={own}
                  rowKey={({ id }) => id}
                  columns={pipeColumns}
                  sort={sort}
                />
              )
            }}
          </Loaded>
        </Panel>
      )}
    </ServiceFrame>
  )
}
