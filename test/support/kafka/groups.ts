import { randomUUID } from 'node:crypto'
import { errorCodes } from './error-codes.ts'
import type { Group, Joined, Joining, Member, MemberCall, Synced } from './group.ts'

/**
 * The coordinator of consumer groups, classic protocol. A group is Empty; PreparingRebalance until all members
 * have joined or the rebalance timeout drops those that have not; CompletingRebalance until the leader has sent
 * the assignments; Stable until a member joins, leaves or sends nothing for its session timeout.
 */
export interface Groups {
  get(id: string): Group | undefined
  all(): Group[]
  join(groupId: string, joining: Joining): Promise<Joined>
  sync(caller: MemberCall, assignments: ReadonlyMap<string, Buffer>): Promise<Synced>
  /** 0, or the error. Restarts the session timeout. */
  heartbeat(caller: MemberCall): number
  /** Like heartbeat, but a rebalance in preparation is not an error. */
  mayCommit(caller: MemberCall): number
  leave(groupId: string, memberId: string, instanceId: string | null): number
  /** Makes all members of a stable group join again. */
  rebalance(groupId: string): void
  delete(groupId: string): number
  close(): void
}

export function createGroups({ joinDelayMs }: { joinDelayMs: number }): Groups {
  const groups = new Map<string, Group>()

  const groupOf = (id: string): Group => {
    const known = groups.get(id)
    if (known !== undefined) return known
    const group: Group = {
      ...{ id, state: 'Empty', generation: 0, protocolType: '', protocol: '', leader: '' },
      members: new Map(),
    }
    groups.set(id, group)
    return group
  }
  const remove = (group: Group, member: Member, error: number): void => {
    clearTimeout(member.timer)
    group.members.delete(member.memberId)
    member.answerJoin?.(error)
    member.answerSync?.(error)
  }
  const prepare = (group: Group, delayMs?: number): void => {
    if (group.state === 'PreparingRebalance') return
    group.state = 'PreparingRebalance'
    const members = [...group.members.values()]
    for (const member of members) {
      member.answerSync?.(errorCodes.rebalanceInProgress)
      member.answerSync = undefined
    }
    const slowest = Math.max(...members.map(({ rebalanceTimeoutMs }) => rebalanceTimeoutMs))
    group.timer = setTimeout(() => complete(group), delayMs ?? slowest).unref()
  }
  const completeIfAllJoined = (group: Group): void => {
    if (group.state !== 'PreparingRebalance') return
    if ([...group.members.values()].every(({ answerJoin }) => answerJoin !== undefined)) complete(group)
  }
  const complete = (group: Group): void => {
    clearTimeout(group.timer)
    const isLate = ({ answerJoin }: Member): boolean => answerJoin === undefined
    for (const member of group.members.values()) {
      if (isLate(member)) remove(group, member, errorCodes.unknownMember)
    }
    group.generation++
    const members = [...group.members.values()]
    group.state = members.length === 0 ? 'Empty' : 'CompletingRebalance'
    const shared = members[0]?.protocols.find(({ name }) => members.every((member) => knows(member, name)))
    group.protocol = shared?.name ?? ''
    if (!group.members.has(group.leader)) group.leader = members[0]?.memberId ?? ''
    for (const member of members) {
      member.assignment = Buffer.alloc(0)
      watch(group, member)
      member.answerJoin?.(0)
      member.answerJoin = undefined
    }
  }
  const leave = (group: Group, member: Member): void => {
    remove(group, member, errorCodes.unknownMember)
    if (group.members.size === 0) {
      clearTimeout(group.timer)
      group.state = 'Empty'
      group.generation++
      return
    }
    prepare(group)
    completeIfAllJoined(group)
  }
  const watch = (group: Group, member: Member): void => {
    clearTimeout(member.timer)
    const expire = (): void => {
      // A member that waits for the others to join sends no heartbeats.
      if (member.answerJoin === undefined) leave(group, member)
      else watch(group, member)
    }
    member.timer = setTimeout(expire, member.sessionTimeoutMs).unref()
  }
  const check = ({ groupId, generation, memberId }: MemberCall): { error: number; group?: Group } => {
    const group = groups.get(groupId)
    const member = group?.members.get(memberId)
    if (group === undefined || member === undefined) return { error: errorCodes.unknownMember }
    if (generation !== group.generation) return { error: errorCodes.illegalGeneration, group }
    watch(group, member)
    return { error: 0, group }
  }

  return {
    get: (id) => groups.get(id),
    all: () => [...groups.values()],
    async join(groupId, joining) {
      const group = groupOf(groupId)
      const { instanceId, protocols } = joining
      const former = [...group.members.values()].find(
        (member) => instanceId !== null && member.instanceId === instanceId,
      )
      const isNew = joining.memberId === ''
      const memberId = isNew ? `${joining.clientId}-${randomUUID()}` : joining.memberId
      if (former !== undefined && !isNew && former.memberId !== memberId) {
        return { error: errorCodes.fencedInstance, memberId, group }
      }
      // A member id that this broker gave out, but that has not joined yet, begins with the client's id.
      if (!isNew && !group.members.has(memberId) && !memberId.startsWith(`${joining.clientId}-`)) {
        return { error: errorCodes.unknownMember, memberId, group }
      }
      if (isNew && instanceId === null && joining.mustKnowItsId) {
        return { error: errorCodes.memberIdRequired, memberId, group }
      }
      const others = [...group.members.values()].filter((member) => member !== former)
      if (!protocols.some(({ name }) => others.every((member) => knows(member, name)))) {
        return { error: errorCodes.inconsistentGroupProtocol, memberId, group }
      }
      if (former !== undefined && isNew) remove(group, former, errorCodes.fencedInstance)
      const known = group.members.get(memberId)
      known?.answerJoin?.(errorCodes.rebalanceInProgress)
      const member: Member = Object.assign(known ?? { ...joining, assignment: Buffer.alloc(0) }, joining, {
        memberId,
      })
      group.members.set(memberId, member)
      group.protocolType = joining.protocolType
      const answered = new Promise<number>((resolve) => {
        member.answerJoin = resolve
      })
      const isFirst = group.state === 'Empty'
      prepare(group, isFirst ? joinDelayMs : undefined)
      if (!isFirst || joinDelayMs === 0) completeIfAllJoined(group)
      return { error: await answered, memberId, group }
    },
    async sync(caller, assignments) {
      const { error, group } = check(caller)
      const member = group?.members.get(caller.memberId)
      const failed = (code: number): Synced => ({ error: code, assignment: Buffer.alloc(0), group })
      if (error !== 0 || group === undefined || member === undefined) return failed(error)
      if (group.state === 'PreparingRebalance') return failed(errorCodes.rebalanceInProgress)
      if (group.state === 'CompletingRebalance' && caller.memberId === group.leader) {
        group.state = 'Stable'
        for (const [id, one] of group.members) {
          one.assignment = Buffer.from(assignments.get(id) ?? [])
          one.answerSync?.(0)
          one.answerSync = undefined
        }
      }
      if (group.state === 'Stable') return { error: 0, assignment: member.assignment, group }
      const code = await new Promise<number>((resolve) => {
        member.answerSync = resolve
      })
      return code === 0 ? { error: 0, assignment: member.assignment, group } : failed(code)
    },
    heartbeat(caller) {
      const { error, group } = check(caller)
      if (error !== 0) return error
      return group?.state === 'PreparingRebalance' ? errorCodes.rebalanceInProgress : 0
    },
    mayCommit(caller) {
      const isMember = caller.generation >= 0
      if (!isMember) {
        // A client that commits offsets without being a member.
        const group = groups.get(caller.groupId)
        return group === undefined || group.members.size === 0 ? 0 : errorCodes.unknownMember
      }
      return check(caller).error
    },
    leave(groupId, memberId, instanceId) {
      const group = groups.get(groupId)
      const member =
        group?.members.get(memberId) ??
        [...(group?.members.values() ?? [])].find(
          (one) => instanceId !== null && one.instanceId === instanceId,
        )
      if (group === undefined || member === undefined) return errorCodes.unknownMember
      leave(group, member)
      return 0
    },
    rebalance(groupId) {
      const group = groups.get(groupId)
      if (group !== undefined && group.members.size > 0) prepare(group)
    },
    delete(groupId) {
      const group = groups.get(groupId)
      if (group !== undefined && group.members.size > 0) return errorCodes.nonEmptyGroup
      return groups.delete(groupId) ? 0 : errorCodes.groupIdNotFound
    },
    close() {
      for (const group of groups.values()) {
        clearTimeout(group.timer)
        for (const member of group.members.values()) clearTimeout(member.timer)
      }
    },
  }
}

const knows = ({ protocols }: Member, wanted: string): boolean =>
  protocols.some(({ name }) => name === wanted)
