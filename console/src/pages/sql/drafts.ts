/** The query tabs of this browser: kept on every change, over sign-out and visits. */
import { batch, computed, signal } from '@preact/signals'
import { stored } from '../../lib/stored.ts'

export interface Draft {
  id: string
  name: string
  text: string
  /** The named query of the organization that it is a draft of. */
  queryId?: string
  /** The text that the named query has: another one is not saved yet. */
  savedText?: string
}

const kept = stored<string>('sql-drafts', '')
const active = stored<string>('sql-draft', '')

export const drafts = signal<readonly Draft[]>(parsed(kept.value))
export const draft = computed(
  () => drafts.value.find(({ id }) => id === active.value) ?? (drafts.value[0] as Draft),
)

function parsed(text: string): Draft[] {
  try {
    const found = (JSON.parse(text) as unknown[]).filter(isDraft)
    if (found.length > 0) return found
  } catch {}
  return [{ id: '1', name: 'Query 1', text: '' }]
}

const isDraft = (value: unknown): value is Draft =>
  ['id', 'name', 'text'].every(
    (name) => typeof (value as Record<string, unknown> | null)?.[name] === 'string',
  )

function keep(next: readonly Draft[]): void {
  drafts.value = next
  kept.value = JSON.stringify(next)
}

export function chooseDraft(id: string): void {
  active.value = id
}

export function changeDraft(id: string, changes: Partial<Omit<Draft, 'id'>>): void {
  keep(drafts.value.map((one) => (one.id === id ? { ...one, ...changes } : one)))
}

export function addDraft(text = '', more: Partial<Omit<Draft, 'id' | 'text'>> = {}): void {
  const number = 1 + Math.max(0, ...drafts.value.map(({ id }) => Number(id) || 0))
  batch(() => {
    keep([...drafts.value, { id: String(number), name: `Query ${number}`, text, ...more }])
    active.value = String(number)
  })
}

/** There is always one: after the last one comes a new one. */
export function closeDraft(id: string): void {
  if (drafts.value.length === 1) addDraft()
  keep(drafts.value.filter((one) => one.id !== id))
}

/** Shows a named query: its draft where there is one, else a new one. */
export function openNamed({ id, name, text }: { id: string; name: string; text: string }): void {
  const known = drafts.value.find(({ queryId }) => queryId === id)
  if (known) chooseDraft(known.id)
  else addDraft(text, { name, queryId: id, savedText: text })
}

/** Shows a text that came by a link: the draft that has it already, else a new one. */
export function openText(text: string): void {
  const known = drafts.value.find((one) => one.text === text)
  if (known) chooseDraft(known.id)
  else addDraft(text)
}
