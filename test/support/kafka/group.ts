/** A consumer group as its coordinator sees it; groups.ts says how its state changes. */
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
  /** From this version on, a new member learns its id first and joins with it. */
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
