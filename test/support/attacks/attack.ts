/** Requests that together try to get at a file, or at what belongs to others. */
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
      /** As the gateway tells it. */
      session?: string
    }

export const url = (parameters: Record<string, string>): string => new URLSearchParams(parameters).toString()

/** As a string literal. */
export const q = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
