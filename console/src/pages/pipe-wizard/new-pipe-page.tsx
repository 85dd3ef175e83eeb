import { useResource } from '../../api/resource.ts'
import { Page } from '../../frame/page.tsx'
import { Button } from '../../kit/button.tsx'
import { Code } from '../../kit/code.tsx'
import { Panel } from '../../kit/panel.tsx'
import { type SourceKind, sourceKinds } from '../../lib/source-kinds.ts'
import { sourceExamples } from './source-examples.ts'

/** How a pipe of this kind is begun from the terminal: a body to fill in, and the two commands. */
export function NewPipePage({
  params: { serviceId, kind },
}: {
  params: { serviceId: string; kind: string }
}) {
  const service = useResource('services.get', { params: { serviceId } }).data.value
  const known = (Object.hasOwn(sourceKinds, kind) ? kind : 'objectStorage') as SourceKind
  const body = {
    name: 'orders',
    source: { [known]: sourceExamples[known] },
    ...(known === 'postgres' ? {} : { destination: { table: 'orders', managedTable: true } }),
  }
  const crumbs = service ? [{ name: service.name, href: `/services/${serviceId}` }] : []
  return (
    <Page
      title={`New pipe from ${sourceKinds[known].name}`}
      crumbs={crumbs}
      lead="The console cannot make pipes yet. The command line can: it checks the source, and the pipe appears here."
      actions={<Button href="/docs">API reference</Button>}
    >
      <Panel title="1. What it reads and writes" note="pipe.json" isPadded>
        <Code text={JSON.stringify(body, null, 2)} label="Copy the body" />
      </Panel>
      <Panel title="2. Make it" isPadded>
        <Code
          text={`granary pipes create ${serviceId} --file pipe.json`}
          language="shell"
          label="Copy the command"
        />
      </Panel>
    </Page>
  )
}
