import { coordinationError } from './coordinated.ts'
import { errorCodes } from './error-codes.ts'
import type { Handler } from './exchange.ts'

/** A group that only commits offsets has no members and still exists. */
export const listGroups: Handler = ({ cluster, node, version, injected, read, write }) => {
  const states = version >= 4 ? read.list(() => read.string()) : []
  const types = version >= 5 ? read.list(() => read.string()) : []
  const ids = new Set([...cluster.groups.all().map(({ id }) => id), ...cluster.offsets.groups()])
  const groups = [...ids]
    .filter((id) => cluster.coordinatorOf(id) === node)
    .map((id) => {
      const group = cluster.groups.get(id)
      return { id, type: group?.protocolType ?? '', state: group?.state ?? 'Empty' }
    })
    .filter(({ state }) => states.length === 0 || states.includes(state))
    .filter(() => types.length === 0 || types.some((type) => type.toLowerCase() === 'classic'))
  if (version >= 1) write.int32(0)
  write.int16(injected).array(injected === 0 ? groups : [], ({ id, type, state }) => {
    write.string(id).string(type)
    if (version >= 4) write.string(state)
    if (version >= 5) write.string('classic')
  })
}

export const describeGroups: Handler = (exchange) => {
  const { cluster, version, read, write } = exchange
  const ids = read.list(() => read.string())
  if (version >= 1) write.int32(0)
  write.array(ids, (id) => {
    const error = coordinationError(exchange, id)
    const group = error === 0 ? cluster.groups.get(id) : undefined
    const nobody = cluster.offsets.of(id).length > 0 ? 'Empty' : 'Dead'
    write.int16(error).string(id)
    write.string(group?.state ?? nobody).string(group?.protocolType ?? '')
    write.string(group?.protocol ?? '').array([...(group?.members.values() ?? [])], (member) => {
      write.string(member.memberId)
      if (version >= 4) write.string(member.instanceId)
      const chosen = member.protocols.find(({ name }) => name === group?.protocol)
      write.string(member.clientId).string('/127.0.0.1')
      write.bytes([chosen?.metadata ?? Buffer.alloc(0)]).bytes([member.assignment])
    })
    if (version >= 3) write.int32(-2147483648)
  })
}

export const deleteGroups: Handler = (exchange) => {
  const { cluster, read, write } = exchange
  const ids = read.list(() => read.string())
  write.int32(0).array(ids, (id) => {
    const hadOffsets = cluster.offsets.of(id).length > 0
    let error = coordinationError(exchange, id) || cluster.groups.delete(id)
    if (error === errorCodes.groupIdNotFound && hadOffsets) error = 0
    if (error === 0) cluster.offsets.forget(id)
    write.string(id).int16(error)
  })
}
