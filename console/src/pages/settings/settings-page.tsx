import { call } from '../../api/call.ts'
import type { Result } from '../../api/operations.ts'
import { refresh, useResource } from '../../api/resource.ts'
import { loadSession, may } from '../../api/session.ts'
import { Page } from '../../frame/page.tsx'
import { ReadsOnly } from '../../frame/reads-only.tsx'
import { Button } from '../../kit/button.tsx'
import { Facts } from '../../kit/facts.tsx'
import { Form, useForm } from '../../kit/form.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { LabelledMeter } from '../../kit/meter.tsx'
import { Panel } from '../../kit/panel.tsx'
import { SelectField } from '../../kit/select-field.tsx'
import { TextField } from '../../kit/text-field.tsx'
import { TimeAt } from '../../kit/time-ago.tsx'
import { formatExact } from '../../lib/numbers.ts'
import { Appearance } from './appearance.tsx'
import { DemoPanel } from './demo-panel.tsx'
import './settings-page.css'

type Organization = Result<'organizations.get'>

/** The organization, its limits, the demo, and how this browser shows all of it. */
export function SettingsPage() {
  const organization = useResource('organizations.get', {})
  const quotas = useResource('quotas.list', {})
  return (
    <Page title="Settings">
      <Panel title="Organization" isPadded>
        <Loaded resource={organization}>{(one) => <OrganizationForm organization={one} />}</Loaded>
      </Panel>
      <Panel title="Limits" note="What there is, of what there may be" isPadded>
        <Loaded resource={quotas}>
          {(all) => (
            <ul class="settings-quotas">
              {all.map(({ quotaCode, name, limit, usage }) => (
                <li key={quotaCode}>
                  <LabelledMeter share={limit > 0 ? usage / limit : 0}>
                    {name}: {formatExact(usage)} of {formatExact(limit)}
                  </LabelledMeter>
                </li>
              ))}
            </ul>
          )}
        </Loaded>
      </Panel>
      <DemoPanel />
      <Appearance />
    </Page>
  )
}

const tiers: Record<Organization['tier'], string> = {
  BASIC: 'Basic: exactly 1 replica',
  SCALE: 'Scale: 2 to 20 replicas',
  ENTERPRISE: 'Enterprise: 1 to 20 replicas',
}

function OrganizationForm({ organization }: { organization: Organization }) {
  const { id, createdAt } = organization
  const form = useForm({ name: organization.name, tier: organization.tier })
  const canManage = may('organization:manage')
  const save = async (values: { name: string; tier: Organization['tier'] }) => {
    const { name, tier } = await call('organizations.update', { body: values })
    form.reset({ name, tier })
    refresh('organizations.get')
    await loadSession()
  }
  const facts = (
    <Facts
      facts={[
        ['Id', <code>{id}</code>],
        ['Since', <TimeAt at={createdAt} />],
      ]}
    />
  )
  if (!canManage) {
    return (
      <>
        <Facts
          facts={[
            ['Name', organization.name],
            ['Tier', tiers[organization.tier]],
          ]}
        />
        {facts}
        <ReadsOnly lacks="organization:manage" cannot="change the organization" />
      </>
    )
  }
  const changes = form.changes.value.length
  return (
    <Form form={form} label="Organization" onSubmit={save} isGuarded>
      <TextField label="Name" {...form.field('name')} />
      <SelectField
        label="Tier"
        hint="Services move to the nearest number of replicas that the tier allows."
        options={(Object.keys(tiers) as Organization['tier'][]).map((value) => ({
          value,
          name: tiers[value],
        }))}
        {...form.field('tier')}
      />
      {facts}
      <div class="actions">
        <Button
          submit
          tone="primary"
          isBusy={form.isSaving.value}
          reason={changes === 0 ? 'Nothing is changed.' : null}
        >
          Save
        </Button>
        {changes > 0 && <Button onPress={() => form.reset()}>Discard</Button>}
      </div>
    </Form>
  )
}
