import { readFileSync } from 'node:fs'
import type { Native } from '../../../../process/native.ts'

/**
 * Loads the shared libraries that the engine and the C library would load when they first need them: libnuma for the
 * engine's S3 client, and the modules that look up users, groups and hosts. The C library adds a new library to its
 * list under a lock that an exception in another thread holds while it waits for the lock of the load, so a library
 * that is loaded while statements run can stop the process for ever.
 */
export function preloadLibraries(native: Native): void {
  for (const name of ['libnuma.so.1', 'libnuma.so', ...lookupModules(readSwitch())]) native.preload(name)
}

/** The libraries behind the services that `nsswitch.conf` names: `passwd: files systemd [NOTFOUND=return]`. */
export function lookupModules(text: string): string[] {
  const services = text
    .split('\n')
    .map((line) => line.replace(/#.*/, ''))
    .filter((line) => line.includes(':'))
    .flatMap((line) =>
      line
        .slice(line.indexOf(':') + 1)
        .replace(/\[[^\]]*\]/g, ' ')
        .split(/\s+/),
    )
    .filter((service) => /^\w+$/.test(service))
  return [...new Set(services)].map((service) => `libnss_${service}.so.2`)
}

function readSwitch(): string {
  try {
    return readFileSync('/etc/nsswitch.conf', 'utf8')
  } catch {
    return ''
  }
}
