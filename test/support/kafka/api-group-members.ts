import { coordinationError } from './coordinated.ts'
import type { Exchange, Handler } from './exchange.ts'
import type { Joined, Joining, MemberCall, Synced } from './group.ts'

export const joinGroup: Handler = async (exchange) => {
  const { cluster, version, read, write } = exchange
  const groupId = read.string()
  const joining = readJoining(exchange)
  const refused = coordinationError(exchange, groupId)
  const joined: Joined | undefined = refused === 0 ? await cluster.groups.join(groupId, joining) : undefined
  const error = joined?.error ?? refused
  const group = error === 0 ? joined?.group : undefined
  const memberId = joined?.memberId ?? joining.memberId
  if (version >= 2) write.int32(0)
  write.int16(error).int32(group?.generation ?? -1)
  if (version >= 7) write.string(group?.protocolType ?? null).string(group?.protocol ?? null)
  else write.string(group?.protocol ?? '')
  write.string(group?.leader ?? '')
  if (version >= 9) write.boolean(false)
  const isLeader = group?.leader === memberId
  write.string(memberId).array(isLeader ? [...(group?.members.values() ?? [])] : [], (member) => {
    write.string(member.memberId)
    if (version >= 5) write.string(member.instanceId)
    const chosen = member.protocols.find(({ name }) => name === group?.protocol)
    write.bytes([chosen?.metadata ?? Buffer.alloc(0)])
  })
}

function readJoining({ version, clientId, read }: Exchange): Joining {
  const sessionTimeoutMs = read.int32()
  const rebalanceTimeoutMs = version >= 1 ? read.int32() : sessionTimeoutMs
  const memberId = read.string()
  const instanceId = version >= 5 ? read.nullableString() : null
  const protocolType = read.string()
  const protocols = read.array(() => ({ name: read.string(), metadata: Buffer.from(read.bytes()) }))
  const limits = { sessionTimeoutMs, rebalanceTimeoutMs }
  return {
    ...{ memberId, instanceId, clientId, ...limits, protocolType, protocols },
    mustKnowItsId: version >= 4,
  }
}

export const syncGroup: Handler = async (exchange) => {
  const { cluster, version, read, write } = exchange
  const caller = readCaller(exchange, 3)
  if (version >= 5) {
    read.nullableString()
    read.nullableString()
  }
  const assignments = new Map(read.array(() => [read.string(), read.bytes()] as const))
  const refused = coordinationError(exchange, caller.groupId)
  const synced: Synced | undefined =
    refused === 0 ? await cluster.groups.sync(caller, assignments) : undefined
  if (version >= 1) write.int32(0)
  write.int16(synced?.error ?? refused)
  if (version >= 5) write.string(synced?.group?.protocolType ?? null).string(synced?.group?.protocol ?? null)
  write.bytes([synced?.assignment ?? Buffer.alloc(0)])
}

export const heartbeat: Handler = (exchange) => {
  const { cluster, version, write } = exchange
  const caller = readCaller(exchange, 3)
  if (version >= 1) write.int32(0)
  write.int16(coordinationError(exchange, caller.groupId) || cluster.groups.heartbeat(caller))
}

/** `instanceFrom` is the version from which an instance id follows. */
export function readCaller({ version, read }: Exchange, instanceFrom: number): MemberCall {
  const caller = { groupId: read.string(), generation: read.int32(), memberId: read.string() }
  if (version >= instanceFrom) read.nullableString()
  return caller
}

export const leaveGroup: Handler = (exchange) => {
  const { cluster, version, read, write } = exchange
  const groupId = read.string()
  const readLeaving = () => {
    const memberId = read.string()
    const instanceId = version >= 3 ? read.nullableString() : null
    if (version >= 5) read.nullableString()
    return { memberId, instanceId }
  }
  const leaving = version >= 3 ? read.array(readLeaving) : [readLeaving()]
  const refused = coordinationError(exchange, groupId)
  const left = leaving.map(({ memberId, instanceId }) => ({
    ...{ memberId, instanceId },
    error: refused || cluster.groups.leave(groupId, memberId, instanceId),
  }))
  if (version >= 1) write.int32(0)
  write.int16(version >= 3 ? refused : (left[0]?.error ?? 0))
  if (version < 3) return
  write.array(refused === 0 ? left : [], ({ memberId, instanceId, error }) => {
    write.string(memberId).string(instanceId).int16(error)
  })
}
