import { useResource } from '../../api/resource.ts'
import { may } from '../../api/session.ts'
import { Page } from '../../frame/page.tsx'
import { ReadsOnly } from '../../frame/reads-only.tsx'
import { Button } from '../../kit/button.tsx'
import { Chip } from '../../kit/chip.tsx'
import { Facts } from '../../kit/facts.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Menu } from '../../kit/menu.tsx'
import { Panel } from '../../kit/panel.tsx'
import { TimeAgo } from '../../kit/time-ago.tsx'
import { navigate } from '../../lib/address.ts'
import { makeDefault, removeSource, type Source } from './source-commands.ts'
import { SourceForm } from './source-form.tsx'

const crumbs = [{ name: 'Sources', href: '/sources' }]

/** One source, or a new one. */
export function SourcePage({ params }: { params: { sourceId: string } }) {
  return params.sourceId === 'new' ? (
    <NewSource />
  ) : (
    <OneSource key={params.sourceId} sourceId={params.sourceId} />
  )
}

function NewSource() {
  const services = useResource('services.list')
  return (
    <Page
      title="New source"
      crumbs={crumbs}
      lead="A table with a time column, as dashboards know it. What is left empty is read from the table."
    >
      {may('dashboards:manage') ? (
        <Panel title="Where the rows lie" isPadded class="source-form">
          <Loaded resource={services}>
            {() => <SourceForm source={null} onSaved={({ id }) => void navigate(`/sources/${id}`)} />}
          </Loaded>
        </Panel>
      ) : (
        <ReadsOnly lacks="dashboards:manage" cannot="make sources" />
      )}
    </Page>
  )
}

function OneSource({ sourceId }: { sourceId: string }) {
  const resource = useResource('sources.get', { params: { sourceId } })
  const services = useResource('services.list')
  const source = resource.data.value
  const canManage = may('dashboards:manage')
  const service = services.data.value?.find(({ id }) => id === source?.serviceId)
  return (
    <Page
      title={source?.name ?? 'Source'}
      crumbs={crumbs}
      badge={source?.isDefault && <Chip>{`default of ${source.kind}`}</Chip>}
      facts={
        source && (
          <Facts
            isInline
            facts={[
              ['Service', service && <a href={`/services/${service.id}`}>{service.name}</a>],
              ['Table', <code>{`${source.database}.${source.table}`}</code>],
              ['Changed', <TimeAgo at={source.updatedAt} />],
            ]}
          />
        )
      }
      actions={source && <Actions source={source} canManage={canManage} />}
    >
      <ReadsOnly lacks="dashboards:manage" cannot="change sources" />
      <Loaded resource={resource} rows={6}>
        {(loaded) =>
          canManage ? (
            <Panel title="How it is read" isPadded class="source-form">
              <Loaded resource={services}>{() => <SourceForm source={loaded} onSaved={() => {}} />}</Loaded>
            </Panel>
          ) : (
            <ReadOnly source={loaded} />
          )
        }
      </Loaded>
    </Page>
  )
}

function Actions({ source, canManage }: { source: Source; canManage: boolean }) {
  return (
    <>
      <Button href={`/sql/${source.serviceId}`} icon="sql">
        Open SQL
      </Button>
      <Menu
        label={`More of ${source.name}`}
        mark="page-menu"
        entries={[
          canManage &&
            !source.isDefault && {
              name: `Make it the default of ${source.kind}`,
              onPress: () => makeDefault(source),
            },
          canManage && {
            ...{ name: 'Delete', icon: 'trash' as const, isDangerous: true },
            onPress: async () => {
              if (await removeSource(source)) void navigate('/sources')
            },
          },
        ]}
      />
    </>
  )
}

function ReadOnly({ source }: { source: Source }) {
  const { kind, timestampColumn, implicitColumn, aliases } = source
  return (
    <Panel title="How it is read" isPadded class="source-form">
      <Facts
        facts={[
          ['Kind', kind],
          ['Time column', <code>{timestampColumn}</code>],
          ['Text that bare words search', implicitColumn && <code>{implicitColumn}</code>],
          ...Object.entries(aliases).map(([name, column]) => [name, <code>{column}</code>] as const),
        ]}
      />
    </Panel>
  )
}
