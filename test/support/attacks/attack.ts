/** Requests that together try to reach a file, or the data of another user. */
export interface Attack {
  name: string
  steps: Step[]
}

/** A statement in the body of a POST, or a request. */
export type Step =
  | string
  | {
      method?: 'GET' | 'POST'
      search?: string
      body?: string
      form?: Record<string, string>
      /** The session header that the gateway sets. */
      session?: string
    }

export const url = (parameters: Record<string, string>): string => new URLSearchParams(parameters).toString()

/** The text as an SQL string literal. */
export const q = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
