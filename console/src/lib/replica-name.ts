/** `events-0`: a replica by its service's name. */
export const replicaName = (service: { name: string }, replicaId: string): string =>
  `${service.name}-${replicaId.split('-').at(-1)}`
