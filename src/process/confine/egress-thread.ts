import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import koffi from 'koffi'
import { type AddressBytes, isWithin } from '../../lib/egress/address.ts'
import { type EgressList, isAllowed } from '../../lib/egress/list.ts'
import type { EgressOrder, Endpoint } from './egress.ts'
import { type Machine, requestBytes, responseBytes } from './egress-filter.ts'

/**
 * The supervisor of the egress filter, in a thread of the process that it supervises. It blocks in one system
 * call until another thread wants to connect. The calling thread waits meanwhile, so the address that is
 * judged in memory is the one that the kernel reads next; SQL cannot change it in between.
 */
const { port, machine, nameservers } = workerData as EgressThreadData

export interface EgressThreadData {
  port: MessagePort
  machine: Machine
  /** The addresses of the system's resolver, always at port 53. */
  nameservers: readonly AddressBytes[]
}

/**
 * The error of a refused connect: EMFILE, which connect otherwise never returns, and after which the engine
 * does not retry over HTTP. After any other error it would retry for minutes.
 */
const refusedErrno = 24

const libc = koffi.load(null)
const ioctl = libc.func('int ioctl(int, unsigned long, void*)')
const readMemory = libc.func(
  'long process_vm_readv(int, void*, unsigned long, void*, unsigned long, unsigned long)',
)
const [receive, send] = [0xc0502100n, 0xc0182101n]
const continueFlag = 1
const families = { unspecified: 0, unix: 1, ipv4: 2, ipv6: 10, netlink: 16 }
const maxAddressBytes = 128
const maxMessages = 1024

let list: EgressList
let granted: readonly Endpoint[] = []

parentPort?.once('message', (first: { list: EgressList; listener: number }) => {
  list = first.list
  supervise(first.listener)
})
parentPort?.postMessage(probe() ? '' : 'process_vm_readv')

function supervise(listener: number): void {
  const request = Buffer.alloc(requestBytes)
  const response = Buffer.alloc(responseBytes)
  for (;;) {
    request.fill(0)
    if (ioctl(listener, receive, request) < 0) continue
    const order = takeOrders()
    const refusal = judge(request)
    request.copy(response, 0, 0, 8)
    response.fill(0, 8)
    if (refusal === null) response.writeUInt32LE(continueFlag, 20)
    else response.writeInt32LE(-refusedErrno, 16)
    // The refusal is posted first, so that the main thread knows of it when the statement fails. Port 0 is no
    // real connect: the C library uses it to order several addresses.
    if (refusal !== null && refusal.port !== 0) port.postMessage(refusal)
    ioctl(listener, send, response)
    if (order === 'end') return
  }
}

function takeOrders(): 'end' | 'go on' {
  for (;;) {
    const received = receiveMessageOnPort(port)
    if (received === undefined) return 'go on'
    const order = received.message as EgressOrder
    if (order.end) return 'end'
    granted = order.granted ?? granted
  }
}

/** Null = the system call may continue. */
function judge(request: Buffer): Endpoint | null {
  const thread = request.readUInt32LE(8)
  const argument = (index: number) => request.readBigUInt64LE(32 + index * 8)
  switch (request.readInt32LE(16)) {
    case machine.connect:
      return judgeAddress(thread, argument(1), Number(argument(2)))
    case machine.sendto:
      return judgeAddress(thread, argument(4), Number(argument(5)))
    case machine.sendmsg:
      return judgeMessages(thread, argument(1), 1)
    case machine.sendmmsg:
      return judgeMessages(thread, argument(1), Math.min(Number(argument(2)), maxMessages))
    default:
      return refused
  }
}

/** On a connected socket, a message names no address. */
function judgeMessages(thread: number, at: bigint, count: number): Endpoint | null {
  const bytes = read(thread, at, count * 64 - (count === 1 ? 8 : 0))
  if (bytes === null) return refused
  for (let start = 0; start < bytes.length; start += 64) {
    const name = bytes.readBigUInt64LE(start)
    if (name === 0n) continue
    const refusal = judgeAddress(thread, name, bytes.readUInt32LE(start + 8))
    if (refusal !== null) return refusal
  }
  return null
}

function judgeAddress(thread: number, at: bigint, length: number): Endpoint | null {
  const bytes = length < 2 ? null : read(thread, at, Math.min(length, maxAddressBytes))
  if (bytes === null) return refused
  const port = bytes.length < 4 ? 0 : bytes.readUInt16BE(2)
  switch (bytes.readUInt16LE(0)) {
    // AF_UNSPEC dissolves the association of a socket.
    case families.unspecified:
    // AF_NETLINK reaches only the kernel, about this machine's own interfaces.
    case families.netlink:
      return null
    case families.unix:
      return resolverSockets.has(bytes.toString('latin1', 2).replace(/\0.*$/s, '')) ? null : refused
    case families.ipv4:
      return bytes.length < 8 ? refused : judgeEndpoint(bytes.subarray(4, 8), port)
    case families.ipv6:
      return bytes.length < 24 ? refused : judgeEndpoint(bytes.subarray(8, 24), port)
    default:
      return refused
  }
}

function judgeEndpoint(address: AddressBytes, port: number): Endpoint | null {
  const isEqual = (other: AddressBytes) => isWithin(address, { bytes: [...other], bits: other.length * 8 })
  if (isAllowed(list, address)) return null
  if (port === 53 && nameservers.some(isEqual)) return null
  if (granted.some((endpoint) => endpoint.port === port && isEqual(endpoint.address))) return null
  return { address: [...address], port }
}

const refused: Endpoint = { address: [], port: 0 }

/** Sockets through which the C library resolves names. */
const resolverSockets = new Set([
  '/var/run/nscd/socket',
  '/run/nscd/socket',
  '/run/systemd/resolve/io.systemd.Resolve',
])

/** Null = the memory is not readable. The thread may belong to a process that this one started. */
function read(thread: number, at: bigint, length: number): Buffer | null {
  const bytes = Buffer.alloc(length)
  const local = vector(koffi.address(bytes), length)
  return Number(readMemory(thread, local, 1, vector(at, length), 1, 0)) === length ? bytes : null
}

function vector(at: bigint, length: number): Buffer {
  const bytes = Buffer.alloc(16)
  bytes.writeBigUInt64LE(at, 0)
  bytes.writeBigUInt64LE(BigInt(length), 8)
  return bytes
}

/** Whether this system allows process_vm_readv. */
function probe(): boolean {
  const bytes = Buffer.from('granary')
  return read(process.pid, koffi.address(bytes), bytes.length)?.equals(bytes) === true
}
