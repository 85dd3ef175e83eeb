import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Log } from '../../../../lib/running.ts'
import { confine, type Policy, supportText, threadNames } from '../../../../process/confine/confine.ts'
import { jobRoomParts, type ReplicaSpec } from '../../protocol.ts'

/**
 * Confines the process of a replica to its warehouse, before the engine opens anything and before any thread runs that
 * could run SQL. Returns what confines it, as the status tells: `landlock 7`, `none: <why>` or `off`. Throws where
 * confinement is required and cannot be had.
 */
export function confineReplica(spec: ReplicaSpec, library: string, log: Log): string {
  if (spec.isolation === 'off') return 'off'
  const policy = replicaPolicy(spec, library)
  if (spec.role === 'writer') mkdirSync(join(spec.backupsDir, jobRoomParts.lent), privately)
  for (const path of policy.write) mkdirSync(path, privately)
  const older = process.platform === 'linux' ? [...new Set(threadNames())].sort() : []
  const isolation = supportText(attempt(policy))
  if (!isolation.startsWith('none')) {
    log.info({ isolation, older }, 'confined, with all threads but those that are older')
    return isolation
  }
  if (spec.isolation === 'required') throw new Error(`isolation is required, but there is ${isolation}`)
  log.warn({ isolation }, 'the replica is not confined')
  return isolation
}

function attempt(policy: Policy): ReturnType<typeof confine> {
  try {
    return confine(policy)
  } catch (error) {
    return { by: 'none', why: (error as Error).message }
  }
}

export function replicaPolicy(spec: ReplicaSpec, library: string): Policy {
  const { role, dataDir, workDir, backupsDir, socketPath } = spec
  const isWriter = role === 'writer'
  return {
    read: [
      ...(isWriter ? [join(backupsDir, jobRoomParts.lent)] : [dataDir]),
      ...(library === '' ? [] : [library]),
      ...[process.execPath, sources],
      ...machine,
    ],
    write: [workDir, ...(isWriter ? [dataDir, join(backupsDir, jobRoomParts.made)] : [])],
    devices: ['/dev/null'],
    sockets: [dirname(socketPath)],
  }
}

const privately = { recursive: true, mode: 0o700 } as const
const sources = fileURLToPath(new URL('../../../..', import.meta.url))

/** The public ones: keys lie beside them, in /etc/ssl/private and /etc/pki/tls/private. */
const certificates = [
  ...['certs', 'cert.pem', 'ca-bundle.pem', 'openssl.cnf'].map((name) => `/etc/ssl/${name}`),
  ...['ca-trust', 'tls/certs', 'tls/cert.pem', 'tls/openssl.cnf'].map((name) => `/etc/pki/${name}`),
  ...['/usr/share/ca-certificates', '/usr/local/share/ca-certificates', '/etc/ca-certificates'],
]
const nameResolution = [
  'resolv.conf',
  'hosts',
  'nsswitch.conf',
  'host.conf',
  'gai.conf',
  'services',
  'protocols',
]
  .map((name) => `/etc/${name}`)
  .concat(
    '/run/systemd/resolve/stub-resolv.conf',
    '/run/systemd/resolve/resolv.conf',
    '/run/resolvconf/resolv.conf',
  )
const libraries = ['/lib', '/lib64', '/usr/lib', '/usr/lib64', '/usr/local/lib', '/etc/ld.so.cache']
const timeZones = ['/usr/share/zoneinfo', '/etc/localtime', '/etc/timezone']
/**
 * What the engine and Node measure: of the processes only this one. Its threads come and go, so their directory is read
 * as a whole; without it the engine throws, and catches, an exception in each thread of each query.
 */
const figures = [
  '/proc/self/task',
  ...['stat', 'statm', 'status', 'cgroup', 'io', 'limits', 'maps'].map((name) => `/proc/self/${name}`),
  ...['cpuinfo', 'meminfo', 'stat', 'loadavg', 'uptime', 'sys/vm/overcommit_memory'].map(
    (name) => `/proc/${name}`,
  ),
  ...['/sys/devices/system/cpu', '/sys/devices/system/node', '/sys/fs/cgroup'],
]
const machine = ['/dev/urandom', ...certificates, ...nameResolution, ...libraries, ...timeZones, ...figures]
