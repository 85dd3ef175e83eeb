/** A consumer group as its coordinator sees it; groups.ts implements its state changes. */
export interface Group {
  readonly id: string
  state: 'Empty' | 'PreparingRebalance' | 'CompletingRebalance' | 'Stable'
  generation: number
  protocolType: string
  protocol: string
  leader: string
  readonly members: Map<string, Member>
  timer?: NodeJS.Timeout | undefined
}

export interface Joining {
  memberId: string
  instanceId: string | null
  clientId: string
  sessionTimeoutMs: number
  rebalanceTimeoutMs: number
  protocolType: string
  protocols: { name: string; metadata: Buffer }[]
  /** With newer versions, a new member first gets its id and then joins with it. */
  mustKnowItsId: boolean
}

export interface Member extends Joining {
  assignment: Buffer
  answerJoin?: ((error: number) => void) | undefined
  answerSync?: ((error: number) => void) | undefined
  timer?: NodeJS.Timeout | undefined
}

export interface MemberCall {
  groupId: string
  generation: number
  memberId: string
}

export interface Joined {
  error: number
  memberId: string
  group: Group
}

export interface Synced {
  error: number
  assignment: Buffer
  group: Group | undefined
}
