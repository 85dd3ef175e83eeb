import type { Result } from '../../api/operations.ts'
import { useResource } from '../../api/resource.ts'
import { Button } from '../../kit/button.tsx'
import { Facts } from '../../kit/facts.tsx'
import { Panel } from '../../kit/panel.tsx'

/** From where, and as whom, clients may connect. */
export function AccessPanel({ service }: { service: Result<'services.get'> }) {
  const users = useResource('serviceUsers.list', { params: { serviceId: service.id } }).data.value ?? []
  return (
    <Panel
      title="Who may connect"
      isPadded
      tools={
        <Button tone="quiet" size="small" href={`/services/${service.id}/access`}>
          Change
        </Button>
      }
    >
      <Facts
        facts={[
          ...service.ipAccessList.map(
            ({ source, description }) => [source, description || 'without a description'] as const,
          ),
          ['Users', ['default', ...users.map(({ name }) => name)].join(', ')],
        ]}
      />
      {service.ipAccessList.length === 0 && <p class="muted">No address may connect.</p>}
    </Panel>
  )
}
