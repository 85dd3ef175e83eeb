import { organization } from '../../api/session.ts'
import { CheckField } from '../../kit/check-field.tsx'
import type { FormState } from '../../kit/form.tsx'
import { NumberField } from '../../kit/number-field.tsx'
import { MarkWord, SpanSlider } from '../../kit/span-slider.tsx'
import { formatGb } from '../../lib/numbers.ts'
import './size-fields.css'

/** The size of a service, as a new one, a restored one and a change of one ask for it. */
export interface Size {
  minReplicaMemoryGb: number | null
  maxReplicaMemoryGb: number | null
  numReplicas: number | null
  idleScaling: boolean
  idleTimeoutMinutes: number | null
}

/** The bounds of memory per replica in GB, as the server checks them. */
const memory = { min: 8, step: 4, maxUnpaid: 120, maxPaid: 356 }

export const defaultSize = (): Size => ({
  ...{ minReplicaMemoryGb: 8, maxReplicaMemoryGb: 16 },
  numReplicas: organization.value?.tier === 'BASIC' ? 1 : 3,
  ...{ idleScaling: true, idleTimeoutMinutes: 15 },
})

interface SizeFieldsProps {
  form: Pick<FormState<Size>, 'values' | 'set' | 'field'>
  /** A development service has fixed memory, and this is it. */
  fixedMemory?: string | null
  /** What the track marks: what is in force, and the most that a replica used in 30 h. */
  inForceGb?: number
  peakGb?: number
  /** Not the first of its warehouse: one replica is enough in every tier but Basic. */
  isLater?: boolean
}

export function SizeFields({ form, fixedMemory, inForceGb = 0, peakGb = 0, isLater }: SizeFieldsProps) {
  const { values } = form
  return (
    <div class="size-fields">
      {fixedMemory ? (
        <p class="muted">{fixedMemory}</p>
      ) : (
        <MemoryFields form={form} inForceGb={inForceGb} peakGb={peakGb} />
      )}
      <hr />
      <NumberField
        label="Replicas"
        isRow
        min={1}
        max={20}
        step={1}
        steps={{ down: 'One replica fewer', up: 'One replica more' }}
        hint={replicasHint(isLater ?? false)}
        {...form.field('numReplicas')}
      />
      <hr />
      <div class="size-sleep">
        <CheckField
          label="Sleep without queries"
          isSwitch
          {...(values.value.idleScaling ? {} : { hint: 'It stays awake, and answers at once.' })}
          {...form.field('idleScaling')}
        />
        {values.value.idleScaling && (
          <NumberField
            label="After"
            isRow
            unit="min"
            min={5}
            hint="At least 5 min without a query. The next query wakes it, in a fraction of a second."
            {...form.field('idleTimeoutMinutes')}
          />
        )}
      </div>
    </div>
  )
}

function MemoryFields({
  form,
  inForceGb,
  peakGb,
}: Required<Pick<SizeFieldsProps, 'form' | 'inForceGb' | 'peakGb'>>) {
  const max = organization.value?.paid ? memory.maxPaid : memory.maxUnpaid
  const bounds = { min: memory.min, max, step: memory.step }
  const { minReplicaMemoryGb: low, maxReplicaMemoryGb: high } = form.values.value
  return (
    <fieldset class="size-memory">
      <legend class="size-legend">
        <span>Memory per replica</span>
        <b>
          {low ?? '?'} to {high ?? '?'} GB
        </b>
      </legend>
      <SpanSlider
        labels={['Least memory per replica', 'Most memory per replica']}
        unit="GB"
        {...bounds}
        low={low ?? memory.min}
        high={high ?? max}
        marks={[
          ...(peakGb > 0 ? [{ kind: 'peak' as const, value: peakGb }] : []),
          ...(inForceGb > 0 ? [{ kind: 'now' as const, value: inForceGb }] : []),
        ]}
        onChange={(least, most) => {
          form.set('minReplicaMemoryGb', least)
          form.set('maxReplicaMemoryGb', most)
        }}
      />
      <div class="size-pair">
        <NumberField
          label="Least"
          labelRest="memory per replica"
          unit="GB"
          {...bounds}
          {...form.field('minReplicaMemoryGb')}
        />
        <NumberField
          label="Most"
          labelRest="memory per replica"
          unit="GB"
          {...bounds}
          {...form.field('maxReplicaMemoryGb')}
        />
      </div>
      <p class="field-hint">
        Multiples of 4, from 8 to {max} GB
        {organization.value?.paid ? '' : '; up to 356 when the organization is paid'}.
      </p>
      {(inForceGb > 0 || peakGb > 0) && (
        <p class="field-hint size-marks">
          {inForceGb > 0 && <MarkWord kind="now">{`${formatGb(inForceGb)} GB in force`}</MarkWord>}
          {peakGb > 0 && <MarkWord kind="peak">{`${formatGb(peakGb)} GB peak in 30 h`}</MarkWord>}
        </p>
      )}
    </fieldset>
  )
}

function replicasHint(isLater: boolean): string {
  const tier = organization.value?.tier
  if (tier === 'BASIC') return 'Exactly 1 in the tier Basic.'
  return tier === 'SCALE' && !isLater ? '2 to 20 in the tier Scale.' : '1 to 20.'
}

/** The fields of a request, without what is empty or does not apply. */
export function sizeBody(size: Size, hasFixedMemory = false) {
  const { minReplicaMemoryGb, maxReplicaMemoryGb, numReplicas, idleScaling, idleTimeoutMinutes } = size
  return {
    idleScaling,
    ...(numReplicas === null ? {} : { numReplicas }),
    ...(idleScaling && idleTimeoutMinutes !== null ? { idleTimeoutMinutes } : {}),
    ...(hasFixedMemory || minReplicaMemoryGb === null ? {} : { minReplicaMemoryGb }),
    ...(hasFixedMemory || maxReplicaMemoryGb === null ? {} : { maxReplicaMemoryGb }),
  }
}

/** `3 replicas of 8 to 16 GB, at most 48 GB, asleep after 15 min`. */
export function sizeWords(size: Size, hasFixedMemory = false): string {
  const { numReplicas, minReplicaMemoryGb: least, maxReplicaMemoryGb: most } = size
  const replicas = `${numReplicas ?? '?'} ${numReplicas === 1 ? 'replica' : 'replicas'}`
  const memoryWords = hasFixedMemory
    ? ''
    : ` of ${least ?? '?'} to ${most ?? '?'} GB, at most ${(numReplicas ?? 0) * (most ?? 0)} GB`
  const sleep = size.idleScaling ? `, asleep after ${size.idleTimeoutMinutes ?? '?'} min` : ', never asleep'
  return `${replicas}${memoryWords}${sleep}`
}
