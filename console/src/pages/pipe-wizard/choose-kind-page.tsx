import { useResource } from '../../api/resource.ts'
import { may } from '../../api/session.ts'
import { Page } from '../../frame/page.tsx'
import { ReadsOnly } from '../../frame/reads-only.tsx'
import { Button } from '../../kit/button.tsx'
import { Empty } from '../../kit/empty.tsx'
import { Icon } from '../../kit/icon.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { SelectField } from '../../kit/select-field.tsx'
import { type SourceKind, sourceKinds } from '../../lib/source-kinds.ts'
import { useQuery } from '../../lib/url-state.ts'
import './wizard.css'

const texts: Record<SourceKind, string> = {
  kafka: 'Topics of Kafka, Redpanda, MSK, Confluent, Event Hubs and others.',
  objectStorage: 'Files in S3, Google, Azure, R2 and others, or in a folder of the server.',
  kinesis: 'Records of an Amazon Kinesis stream.',
  postgres: 'Tables of Postgres: loaded once, then their changes as they happen.',
}

/** What a new pipe reads, and into which service; of one service, or of any. */
export function ChooseKindPage({ params }: { params: { serviceId?: string } }) {
  const services = useResource('services.list')
  const chosen = useQuery('service')
  return (
    <Page title="New pipe" lead="Where does the data come from?" crumbs={[{ name: 'Pipes', href: '/pipes' }]}>
      <Loaded resource={services}>
        {(all) => {
          const writable = all.filter(({ id }) => may('pipes:manage', id))
          if (writable.length === 0) {
            if (all.length > 0) return <ReadsOnly lacks="pipes:manage" cannot="make pipes" />
            return (
              <Empty
                icon="pipe"
                title="There is no service that a pipe could write to."
                actions={may('services:create') && <Button href="/services/new">New service</Button>}
              />
            )
          }
          const wanted = params.serviceId ?? chosen.value
          const service = writable.find(({ id }) => id === wanted) ?? writable[0]
          return (
            <>
              <div class="wizard-into">
                <SelectField
                  label="Into the service"
                  value={service?.id ?? ''}
                  options={writable.map(({ id, name }) => ({ value: id, name }))}
                  isDisabled={params.serviceId !== undefined}
                  onChange={(id) => chosen.set(id)}
                />
              </div>
              <ul class="wizard-kinds">
                {(Object.keys(sourceKinds) as SourceKind[]).map((kind) => (
                  <li key={kind}>
                    <a class="wizard-kind" href={`/services/${service?.id}/pipes/new/${kind}`}>
                      <Icon name={sourceKinds[kind].icon} />
                      <b>{sourceKinds[kind].name}</b>
                      <span class="sub">{texts[kind]}</span>
                    </a>
                  </li>
                ))}
              </ul>
            </>
          )
        }}
      </Loaded>
    </Page>
  )
}
