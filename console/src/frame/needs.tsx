import { computed, effect, signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { useResource } from '../api/resource.ts'
import { may, session } from '../api/session.ts'
import { type Fleet, type Need, needsOf } from '../lib/needs.ts'
import { now } from '../lib/now.ts'
import { navigationCounts } from './counts.ts'
import { needsCount } from './page.tsx'
import type { SectionId } from './sections.ts'

const fleet = signal<Fleet | null>(null)
/** Whole minutes: the list is made anew when something changed, not each second. */
const minute = computed(() => Math.floor(now.value / 60_000) * 60_000)

/** What needs a person, worst first. */
export const needs = computed((): Need[] => (fleet.value ? needsOf(fleet.value, minute.value) : []))

effect(() => {
  const counts: Partial<Record<SectionId, number>> = {}
  for (const { section } of needs.value) {
    const shown = section === 'services' ? 'overview' : section
    counts[shown] = (counts[shown] ?? 0) + 1
  }
  navigationCounts.value = counts
  needsCount.value = needs.value.length
})

/** The icon of the tab has a dot in the colour of the worst. */
effect(() => {
  const [worst] = needs.value
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]')
  if (icon) icon.href = worst ? `/mark-${worst.hue}.svg` : '/mark.svg'
})

/** Watches the whole organization for what needs a person, on whatever page. */
export function NeedsWatch() {
  const services = useResource('services.list').data.value
  const pipes = useResource('organizations.pipes').data.value
  const backups = useResource('organizations.backups').data.value
  const alerts = useResource('alerts.list', {}, { when: may('dashboards:view') }).data.value
  const keyEndsAt = session.value?.key.expireAt ?? null
  const seesKeys = may('keys:view')
  useEffect(() => {
    if (services) {
      const found = { services, pipes: pipes ?? [], backups: backups ?? [], alerts: alerts ?? [] }
      fleet.value = { ...found, keyEndsAt, seesKeys }
    }
  }, [services, pipes, backups, alerts, keyEndsAt, seesKeys])
  return null
}
