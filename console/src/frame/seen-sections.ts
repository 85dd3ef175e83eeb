import { isDashboardOnly, may } from '../api/session.ts'
import { footSections, mainSections, type Section, type SectionId } from './sections.ts'

/** Whether the key of the session reaches what the section shows. */
export const isSeen = ({ forTokens, needs }: Section): boolean =>
  (!isDashboardOnly.value || forTokens === true) && (needs === undefined || may(needs))

export const seenSections = (): Section[] => [...mainSections, ...footSections].filter(isSeen)

/** The section of a page that the key does not reach; null = it does. */
export function hiddenSection(id: SectionId | null): Section | null {
  const section = [...mainSections, ...footSections].find((one) => one.id === id)
  return section === undefined || isSeen(section) ? null : section
}
