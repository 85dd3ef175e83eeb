import { errorCodes } from './error-codes.ts'
import type { Exchange, Handler } from './exchange.ts'
import type { Topic } from './topics.ts'

const noAuthorizedOperations = -2147483648
const noTopicId = '0'.repeat(32)

export const metadata: Handler = (exchange) => {
  const { cluster, version, read, write } = exchange
  const wanted = readWanted(exchange)
  const mayCreate = version >= 4 ? read.boolean() : true
  const found = (wanted ?? cluster.topics.all().map(({ name }) => ({ name, id: noTopicId }))).map((one) =>
    find(exchange, one, mayCreate),
  )
  const nodes = cluster.nodes.filter(({ isUp }) => isUp)
  if (version >= 3) write.int32(0)
  write.array(nodes, ({ id, host, port }) => {
    write.int32(id).string(host).int32(port)
    if (version >= 1) write.string(null)
  })
  if (version >= 2) write.string('granary-test')
  if (version >= 1) write.int32(nodes[0]?.id ?? -1)
  write.array(found, (topic) => writeTopic(exchange, topic))
  if (version >= 8 && version <= 10) write.int32(noAuthorizedOperations)
}

interface Found {
  error: number
  name: string | null
  id: string
  topic: Topic | undefined
}

/** Null = all topics. */
function readWanted({ version, read }: Exchange): { name: string | null; id: string }[] | null {
  const wanted = read.nullableArray(() => {
    const id = version >= 10 ? read.uuid() : noTopicId
    return { id, name: read.nullableString() }
  })
  return version === 0 && wanted?.length === 0 ? null : wanted
}

function find(
  { cluster, injected }: Exchange,
  { name, id }: { name: string | null; id: string },
  mayCreate: boolean,
): Found {
  const known = name === null ? cluster.topics.byId(id) : cluster.topics.get(name)
  if (injected !== 0) return { error: injected, name, id, topic: undefined }
  if (known !== undefined) return { error: 0, name: known.name, id: known.id, topic: known }
  if (name !== null && name !== '' && mayCreate && cluster.options.createsTopics === true) {
    const topic = cluster.topics.create(name, cluster.options.partitions ?? 1)
    return { error: 0, name, id: topic.id, topic }
  }
  const error = name === null ? errorCodes.unknownTopicId : errorCodes.unknownTopicOrPartition
  return { error, name, id, topic: undefined }
}

function writeTopic({ cluster, version, write }: Exchange, { error, name, id, topic }: Found): void {
  const isUp = (node: number): boolean => cluster.nodes.some((one) => one.id === node && one.isUp)
  write.int16(error).string(name)
  if (version >= 10) write.uuid(id)
  if (version >= 1) write.boolean(false)
  write.array(topic?.partitions ?? [], ({ index, leader, leaderEpoch }) => {
    const isLed = isUp(leader)
    write.int16(isLed ? 0 : errorCodes.leaderNotAvailable).int32(index)
    write.int32(isLed ? leader : -1)
    if (version >= 7) write.int32(leaderEpoch)
    write.list([leader], write.int32).list(isLed ? [leader] : [], write.int32)
    if (version >= 5) write.list(isLed ? [] : [leader], write.int32)
  })
  if (version >= 8) write.int32(noAuthorizedOperations)
}

export const findCoordinator: Handler = ({ cluster, version, injected, read, write }) => {
  const single = version <= 3 ? read.string() : ''
  if (version >= 1) read.int8()
  const keys = version >= 4 ? read.list(() => read.string()) : [single]
  const locate = (key: string) => {
    const node = cluster.nodes.find(({ id, isUp }) => isUp && id === cluster.coordinatorOf(key))
    const error = injected || (node === undefined ? errorCodes.coordinatorNotAvailable : 0)
    return { error, key, ...(error === 0 && node !== undefined ? node : { id: -1, host: '', port: -1 }) }
  }
  if (version >= 1) write.int32(0)
  if (version <= 3) {
    const { error, id, host, port } = locate(single)
    write.int16(error)
    if (version >= 1) write.string(null)
    write.int32(id).string(host).int32(port)
    return
  }
  write.array(keys.map(locate), ({ error, key, id, host, port }) => {
    write.string(key).int32(id).string(host).int32(port).int16(error).string(null)
  })
}
