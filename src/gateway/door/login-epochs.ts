/**
 * Limits how long remembered logins count: each change of a user or a password begins a new epoch of that
 * service. Logins that were remembered, or are being looked up, under an older epoch are never found again.
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
