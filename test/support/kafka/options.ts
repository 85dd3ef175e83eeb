/** Plain data, so that it can be sent to another process. */
export interface KafkaOptions {
  /** How many nodes the cluster has, with the ids 1, 2, …; by default one. */
  nodes?: number
  /** Where topics, records and committed offsets are kept; by default in memory. */
  directory?: string
  /** By default free ports. */
  ports?: number[]
  tls?: {
    key: string
    cert: string
    /** Clients must present a certificate that this authority has signed. */
    clientCa?: string
  }
  /** If present, clients must authenticate. */
  sasl?: {
    /** By default all mechanisms. */
    mechanisms?: SaslMechanism[]
    passwords?: Record<string, string>
    /** The tokens that OAUTHBEARER accepts. */
    tokens?: string[]
  }
  /** Whether asking for an unknown topic creates it, the default of real brokers; here the default is false. */
  createsTopics?: boolean
  /** Partitions of topics that are created without a number; by default 1. */
  partitions?: number
  /** How long the first member of a group waits for others; by default not at all. */
  joinDelayMs?: number
}

export const saslMechanisms = ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512', 'OAUTHBEARER'] as const
export type SaslMechanism = (typeof saslMechanisms)[number]
