import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lookupModules } from './preload.ts'

test('the modules of lookups are those that nsswitch.conf names, each once', () => {
  const text = [
    '# passwd: ldap',
    'passwd:         files systemd',
    'group:\tfiles [SUCCESS=merge] systemd # sss',
    'hosts: files mdns4_minimal [NOTFOUND=return !UNAVAIL=return] dns',
    'no services here',
    'netgroup: ../../evil',
    '',
  ].join('\n')
  assert.deepEqual(lookupModules(text), [
    'libnss_files.so.2',
    'libnss_systemd.so.2',
    'libnss_mdns4_minimal.so.2',
    'libnss_dns.so.2',
  ])
  assert.deepEqual(lookupModules(''), [])
})
