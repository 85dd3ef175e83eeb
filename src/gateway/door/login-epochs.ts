/**
 * For how long what is remembered of a service's logins counts: each change of a user or a password begins a new epoch
 * of that service, and what was remembered, or is being looked up, under the old one is never found again.
 */
export interface LoginEpochs {
  of(serviceId: string): string
  end(serviceId: string): void
  endAll(): void
}

export function createLoginEpochs(): LoginEpochs {
  /** One entry for each service whose logins were ever changed while this gateway ran. */
  const changes = new Map<string, number>()
  let generation = 0
  return {
    of: (serviceId) => `${generation}.${changes.get(serviceId) ?? 0}`,
    end: (serviceId) => void changes.set(serviceId, (changes.get(serviceId) ?? 0) + 1),
    endAll() {
      generation += 1
      changes.clear()
    },
  }
}
