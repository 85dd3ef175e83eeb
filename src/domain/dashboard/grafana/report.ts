import { isEmpty } from './json.ts'

/** Something of the imported dashboard that is not carried over. */
export interface ReportEntry {
  /** `panels[3].transformations`, `templating.list[0]`. */
  path: string
  /** The id of the panel in the imported dashboard; null = it is about none. */
  panelId: number | null
  /** `panel` = the panel is not there; else the name of the property or kind. */
  what: string
  message: string
}

/** Collects entries about one panel, or about the dashboard itself. */
export interface Report {
  add(path: string, what: string, message: string): void
  /** Adds the property unless it is empty. */
  unlessEmpty(value: unknown, path: string, what: string, message?: string): void
}

export function createReport(entries: ReportEntry[], panelId: number | null = null): Report {
  const add: Report['add'] = (path, what, message) => void entries.push({ path, panelId, what, message })
  return {
    add,
    unlessEmpty(value, path, what, message = `${what} is not carried over`) {
      if (!isEmpty(value)) add(path, what, message)
    },
  }
}
