import { useEffect, useMemo, useRef } from 'preact/hooks'
import { useResource } from '../../api/resource.ts'
import { may } from '../../api/session.ts'
import { Page } from '../../frame/page.tsx'
import { ReadsOnly } from '../../frame/reads-only.tsx'
import { Button } from '../../kit/button.tsx'
import { askToLeave } from '../../kit/confirm.tsx'
import { Notice } from '../../kit/notice.tsx'
import { guardLeaving, navigate } from '../../lib/address.ts'
import { type SourceKind, sourceKinds } from '../../lib/source-kinds.ts'
import { useQuery } from '../../lib/url-state.ts'
import { RunStep } from './run-step.tsx'
import { SampleStep } from './sample-step.tsx'
import { SourceStep } from './source-step.tsx'
import { StepPanel } from './step-panel.tsx'
import { summaryOf } from './summaries.ts'
import { TableStep } from './table-step.tsx'
import { useDiscovery } from './use-discovery.ts'
import { usePreview } from './use-preview.ts'
import './wizard.css'
import { createWizard, type Step } from './wizard-state.ts'

const titles: Record<Step, string> = { source: 'Source', sample: 'Sample', table: 'Table', run: 'Run' }

/** A new pipe in steps that open in turn on one page; the step is in the address, what was entered is not. */
export function NewPipePage({ params }: { params: { serviceId: string; kind: string } }) {
  const { serviceId } = params
  const service = useResource('services.get', { params: { serviceId } }).data.value
  const kind = (Object.hasOwn(sourceKinds, params.kind) ? params.kind : 'objectStorage') as SourceKind
  const crumbs = [
    ...(service ? [{ name: service.name, href: `/services/${serviceId}` }] : []),
    { name: 'Pipes', href: `/services/${serviceId}/pipes` },
  ]
  return (
    <Page
      title={`New pipe from ${sourceKinds[kind].name}`}
      crumbs={crumbs}
      lead={service && `It writes into ${service.name}.`}
      actions={<Button href={`/services/${serviceId}/pipes/new`}>Another source</Button>}
    >
      {may('pipes:manage', serviceId) ? (
        <>
          {service?.state === 'stopped' && (
            <Notice hue="warn" title={`${service.name} is stopped.`}>
              A pipe needs it: start it first.
            </Notice>
          )}
          <Steps key={kind} serviceId={serviceId} kind={kind} />
        </>
      ) : (
        <ReadsOnly lacks="pipes:manage" serviceId={serviceId} cannot="make pipes" />
      )}
    </Page>
  )
}

function Steps({ serviceId, kind }: { serviceId: string; kind: SourceKind }) {
  const wizard = useMemo(() => createWizard(kind), [kind])
  const query = useQuery('step', 'source')
  const { steps } = wizard
  const go = (step: Step) => {
    wizard.reached.value = Math.max(wizard.reached.value, steps.indexOf(step))
    query.set(step, { push: true })
  }
  const discovery = useDiscovery(wizard, serviceId, go)
  const preview = usePreview(wizard, serviceId)
  const isChanged = wizard.isChanged()
  const unguard = useRef(() => {})
  useEffect(() => {
    if (!isChanged) return
    unguard.current = guardLeaving(askToLeave)
    return unguard.current
  }, [isChanged])
  const wanted = steps.indexOf(query.value as Step)
  // An address that was opened anew has no entries: it begins at the first step.
  const open = wanted < 0 || wanted > wizard.reached.value ? 0 : wanted
  const next = () => go(steps[open + 1] ?? 'run')
  const made = (pipeId: string) => {
    unguard.current()
    void navigate(`/services/${serviceId}/pipes/${pipeId}`)
  }
  const inside: Record<Step, () => preact.JSX.Element> = {
    source: () => <SourceStep wizard={wizard} discovery={discovery} onNext={next} />,
    sample: () => <SampleStep wizard={wizard} discovery={discovery} onNext={next} />,
    table: () => <TableStep wizard={wizard} serviceId={serviceId} preview={preview} go={go} onNext={next} />,
    run: () => <RunStep wizard={wizard} serviceId={serviceId} preview={preview} go={go} onMade={made} />,
  }
  return (
    <div class="wizard">
      {steps.map((step, i) => (
        <StepPanel
          key={step}
          wizard={wizard}
          step={step}
          title={kind === 'postgres' && step === 'table' ? 'Tables' : titles[step]}
          summary={summaryOf(wizard, step)}
          state={i === open ? 'open' : i <= wizard.reached.value ? 'done' : 'later'}
          onOpen={() => go(step)}
        >
          {inside[step]()}
        </StepPanel>
      ))}
    </div>
  )
}
