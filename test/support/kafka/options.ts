/** Plain data, so that it can be sent to a process. */
export interface KafkaOptions {
  /** How many nodes the cluster has, with the ids 1, 2, …; by default one. */
  nodes?: number
  /** Where topics, records and committed offsets are kept; by default in memory. */
  directory?: string
  /** By default free ones. */
  ports?: number[]
  tls?: {
    key: string
    cert: string
    /** Clients must show a certificate that it has signed. */
    clientCa?: string
  }
  /** With these, clients must authenticate. */
  sasl?: {
    /** By default all. */
    mechanisms?: SaslMechanism[]
    passwords?: Record<string, string>
    /** That OAUTHBEARER takes. */
    tokens?: string[]
  }
  /** Whether asking for an unknown topic creates it, as real brokers have it by default; here by default not. */
  createsTopics?: boolean
  /** Of topics that are created without a number; by default 1. */
  partitions?: number
  /** How long the first member of a group waits for others; by default not. */
  joinDelayMs?: number
}

export const saslMechanisms = ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512', 'OAUTHBEARER'] as const
export type SaslMechanism = (typeof saslMechanisms)[number]
