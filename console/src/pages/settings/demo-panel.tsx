import { call } from '../../api/call.ts'
import { refresh, useResource } from '../../api/resource.ts'
import { may } from '../../api/session.ts'
import { Button } from '../../kit/button.tsx'
import { confirm } from '../../kit/confirm.tsx'
import { Panel } from '../../kit/panel.tsx'
import { run } from '../../kit/toast.tsx'

/** The demo, while there is one: where it is, and its removal. */
export function DemoPanel() {
  const demo = useResource('demo.get', {}).data.value
  if (!demo || demo.state === 'absent') return null
  const remove = async () => {
    const isMeant = await confirm({
      title: 'Remove the demo?',
      text: 'Its service with all rows, its pipes, dashboard and alert go. What somebody changed stays.',
      verb: 'Remove the demo',
      isDangerous: true,
    })
    if (isMeant)
      await run(
        call('demo.remove').then(() => refresh('demo.get', 'services.list')),
        'The demo is as it was.',
      )
  }
  return (
    <Panel title="Demo" isPadded>
      <div class="stack stack-tight">
        <p>
          {demo.error ??
            (demo.state === 'removing'
              ? 'It is being removed.'
              : 'A service, data through a pipe, a dashboard and an alert.')}
        </p>
        <div class="actions">
          {demo.dashboardId !== null && (
            <Button href={`/dashboards/${demo.dashboardId}`}>Open its dashboard</Button>
          )}
          {may('services:create') && demo.state !== 'removing' && (
            <Button onPress={remove}>Remove the demo</Button>
          )}
        </div>
      </div>
    </Panel>
  )
}
