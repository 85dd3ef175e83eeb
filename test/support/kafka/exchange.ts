import type { Api } from './apis.ts'
import type { CommittedOffsets } from './committed-offsets.ts'
import type { Groups } from './groups.ts'
import type { KafkaOptions } from './options.ts'
import type { ScramServer } from './scram.ts'
import type { Topics } from './topics.ts'
import type { Transactions } from './transactions.ts'
import type { WireReader } from './wire-reader.ts'
import type { WireWriter } from './wire-writer.ts'

/** One request and its answer, as the handler of its API sees them. */
export interface Exchange {
  readonly cluster: Cluster
  /** The id of the node that was asked. */
  readonly node: number
  readonly session: Session
  readonly api: Api
  readonly version: number
  readonly clientId: string
  /** An error code that a test injects: the request does nothing and answers it; 0 = none. */
  readonly injected: number
  /** A test wants the batches in the answer to be damaged. */
  readonly isCorrupting: boolean
  readonly read: WireReader
  readonly write: WireWriter
  /** The client expects no answer. */
  isSilent: boolean
}

export type Handler = (exchange: Exchange) => unknown

/** The state that all nodes share. */
export interface Cluster {
  readonly options: KafkaOptions
  readonly nodes: readonly NodeAddress[]
  readonly topics: Topics
  readonly groups: Groups
  readonly offsets: CommittedOffsets
  readonly transactions: Transactions
  /** The id of the node that coordinates a group or a transactional id. */
  coordinatorOf(key: string): number
  /** Called when records were appended, or a topic, a leader or a transaction changed. */
  changed(): void
  /** Resolves at the next change, or after `ms`. */
  waitForChange(ms: number): Promise<void>
}

export interface NodeAddress {
  readonly id: number
  readonly host: string
  readonly port: number
  readonly isUp: boolean
}

/** The state of one connection. */
export interface Session {
  isAuthenticated: boolean
  /** The connection closes after the answer. */
  isRefused: boolean
  mechanism?: string
  scram?: ScramServer
}
