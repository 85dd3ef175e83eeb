import { useSignal } from '@preact/signals'
import { call } from '../../api/call.ts'
import type { Result } from '../../api/operations.ts'
import { may } from '../../api/session.ts'
import { Button } from '../../kit/button.tsx'
import { Code } from '../../kit/code.tsx'
import { confirm } from '../../kit/confirm.tsx'
import { CopyLine } from '../../kit/copy.tsx'
import { Panel } from '../../kit/panel.tsx'
import { Segment } from '../../kit/segment.tsx'
import { toastError } from '../../kit/toast.tsx'
import { type Client, examples } from './connect-examples.ts'
import { PasswordDialog } from './password-dialog.tsx'

/** Where clients connect, and how each kind of them does. */
export function ConnectPanel({ service }: { service: Result<'services.get'> }) {
  const client = useSignal<Client>('curl')
  const password = useSignal('')
  const [endpoint] = service.endpoints
  if (!endpoint) return null
  const { protocol, host, port, username: user } = endpoint
  const url = `${protocol}://${host}:${port}`
  const renew = async () => {
    const isMeant = await confirm({
      title: `New password for ${service.name}?`,
      text: 'The one in force ends at once; whoever uses it is refused.',
      verb: 'New password',
    })
    if (!isMeant) return
    try {
      password.value = (
        await call('services.resetPassword', { params: { serviceId: service.id }, body: {} })
      ).password
    } catch (thrown) {
      toastError('The password is as it was.', thrown)
    }
  }
  return (
    <Panel title="Connect" note="ClickHouse over HTTP; official clients work unchanged" isPadded>
      <div class="stack">
        <dl class="service-connect">
          <div>
            <dt>Endpoint</dt>
            <dd>
              <CopyLine text={url} label="Copy the endpoint" />
            </dd>
          </div>
          <div>
            <dt>User</dt>
            <dd>
              <CopyLine text={user} label="Copy the user" />
            </dd>
          </div>
          <div>
            <dt>Password</dt>
            <dd class="service-password">
              <span class="muted">kept as a hash only</span>
              {may('services:manage', service.id) && (
                <Button tone="quiet" size="small" onPress={renew}>
                  New one
                </Button>
              )}
            </dd>
          </div>
        </dl>
        <Segment<Client>
          label="Client"
          value={client.value}
          options={(Object.keys(examples) as Client[]).map((value) => ({ value, name: value }))}
          onChange={(value) => {
            client.value = value
          }}
        />
        <Code
          text={examples[client.value]({ url, host, port, user })}
          language="shell"
          label="Copy the example"
        />
      </div>
      {password.value !== '' && (
        <PasswordDialog
          service={service.name}
          user={user}
          password={password.value}
          onClose={() => {
            password.value = ''
          }}
        />
      )}
    </Panel>
  )
}
