/** Public certificates only: private keys are beside them, in /etc/ssl/private and /etc/pki/tls/private. */
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
 * The metrics that Node and the engine read, of this process only. Its threads come and go, so their
 * directory is readable as a whole; without it, the engine throws and catches an exception in each thread of
 * each query.
 */
const figures = [
  '/proc/self/task',
  ...['stat', 'statm', 'status', 'cgroup', 'io', 'limits', 'maps'].map((name) => `/proc/self/${name}`),
  ...['cpuinfo', 'meminfo', 'stat', 'loadavg', 'uptime', 'sys/vm/overcommit_memory'].map(
    (name) => `/proc/${name}`,
  ),
  ...['/sys/devices/system/cpu', '/sys/devices/system/node', '/sys/fs/cgroup'],
]

/** The files of the machine that a Node process reads; none of them holds user data. */
export const machineFiles = [
  '/dev/urandom',
  ...certificates,
  ...nameResolution,
  ...libraries,
  ...timeZones,
  ...figures,
]
