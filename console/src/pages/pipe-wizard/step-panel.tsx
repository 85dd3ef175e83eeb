import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { Button } from '../../kit/button.tsx'
import { Icon } from '../../kit/icon.tsx'
import { Notice } from '../../kit/notice.tsx'
import '../../kit/panel.css'
import { raised } from '../../lib/words.ts'
import type { Step, Wizard } from './wizard-state.ts'

interface StepPanelProps {
  wizard: Wizard
  step: Step
  title: string
  /** What was chosen, while the step is closed. */
  summary: ComponentChildren
  state: 'done' | 'open' | 'later'
  onOpen: () => void
  children: ComponentChildren
}

/** One step. The open one has its fields; a done one says what was chosen and can be opened again. */
export function StepPanel({ wizard, step, title, summary, state, onOpen, children }: StepPanelProps) {
  const id = useId()
  const ref = useRef<HTMLElement>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  const isOpen = state === 'open'
  const refusals = wizard.refusals.value
  const wasOpen = useRef(isOpen)
  useEffect(() => {
    if (!isOpen) {
      wasOpen.current = false
      return
    }
    const wrong = ref.current?.querySelector<HTMLElement>('[aria-invalid="true"]')
    if (wrong) wrong.focus()
    else if (!wasOpen.current) heading.current?.focus()
    wasOpen.current = true
  }, [isOpen, refusals])
  const number = wizard.steps.indexOf(step) + 1
  const said = wizard.others.value.filter((other) => other.step === step)
  return (
    <section
      ref={ref}
      class={`panel wizard-step wizard-step-${state}`}
      aria-labelledby={id}
      aria-current={isOpen ? 'step' : undefined}
    >
      <header class="panel-head">
        <span class="wizard-number" aria-hidden="true">
          {state === 'done' ? <Icon name="check" size="small" /> : number}
        </span>
        <h2 id={id} ref={heading} tabIndex={-1}>
          {title}
        </h2>
        {!isOpen && <span class="sub wizard-summary">{summary}</span>}
        {state === 'done' && (
          <span class="panel-tools">
            <Button
              tone="quiet"
              size="small"
              label={`Change: ${title.toLowerCase()}`}
              icon="edit"
              onPress={onOpen}
            />
          </span>
        )}
      </header>
      {isOpen && (
        <div class="panel-body stack">
          {children}
          {said.map(({ message }) => (
            <Notice key={message} hue="bad" role="alert">
              {raised(message)}
            </Notice>
          ))}
        </div>
      )}
    </section>
  )
}
