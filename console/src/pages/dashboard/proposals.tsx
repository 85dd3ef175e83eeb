import { call } from '../../api/call.ts'
import { refresh, useResource } from '../../api/resource.ts'
import { isDashboardOnly } from '../../api/session.ts'
import { Button } from '../../kit/button.tsx'
import { Panel } from '../../kit/panel.tsx'
import { run } from '../../kit/toast.tsx'
import { navigate } from '../../lib/address.ts'
import { type ProposableSource, proposeTiles } from '../../lib/propose-tiles.ts'

/** Dashboards that fit the tables that are there: sources, and tables of running services that are none yet. */
export function Proposals() {
  const sources = useResource('sources.list', {}, { pace: 'still' })
  const services = useResource('services.list', {}, { pace: 'still', when: !isDashboardOnly.value })
  // Asking a sleeping service would wake it.
  const running = (services.data.value ?? []).filter(({ state }) => state === 'running')
  const known = (sources.data.value ?? []).filter(({ kind }) => kind === 'events')
  if (known.length === 0 && running.length === 0) return null
  return (
    <Panel title="Fits your data">
      <ul class="proposals">
        {known.map((source) => (
          <Proposal key={source.id} source={source} prepare={async () => {}} />
        ))}
        {running.map(({ id }) => (
          <Uncovered key={id} serviceId={id} />
        ))}
      </ul>
    </Panel>
  )
}

function Uncovered({ serviceId }: { serviceId: string }) {
  const proposals = useResource('sources.proposals', { query: { serviceId } }, { pace: 'still' })
  return (
    <>
      {(proposals.data.value ?? []).map((body) => (
        <Proposal key={body.name} source={body} prepare={() => call('sources.create', { body })} />
      ))}
    </>
  )
}

function Proposal({ source, prepare }: { source: ProposableSource; prepare: () => Promise<unknown> }) {
  const make = () => run(makeDashboard(source, prepare), `No dashboard was made for ${source.name}.`)
  return (
    <li>
      <span>
        Tiles for <b>{source.name}</b>
      </span>
      <span class="grow" />
      <Button size="small" icon="plus" onPress={make}>
        New dashboard for {source.name}
      </Button>
    </li>
  )
}

async function makeDashboard(source: ProposableSource, prepare: () => Promise<unknown>): Promise<void> {
  await prepare()
  const fields = await Promise.all(
    ['level', 'service', 'host', 'duration'].map(async (name) => {
      const body = { dataSource: source.name, where: `${name}:*` }
      return (await call('charts.where', { body })).valid ? name : ''
    }),
  )
  const tiles = proposeTiles(source, fields)
  const made = await call('dashboards.create', { body: { name: source.name, tiles, refresh: '30s' } })
  refresh('dashboards.list', 'sources.list')
  await navigate(`/dashboards/${made.id}`)
}
