import { signal } from '@preact/signals'
import type { SectionId } from './sections.ts'

/** How many things of a section need a person. */
export const navigationCounts = signal<Partial<Record<SectionId, number>>>({})
