import assert from 'node:assert/strict'
import { test } from 'node:test'
import { granary } from '../../test/support/cli-rig.ts'
import {
  backup,
  backupId,
  bucket,
  organizationId,
  service,
  serviceId,
} from '../../test/support/cli-samples.ts'
import { result, startFakeApi } from '../../test/support/fake-api.ts'

const services = `/v1/organizations/${organizationId}/services`
const backups = `${services}/${serviceId}/backups`
const one = `${backups}/${backupId}`
const place = `${services}/${serviceId}/backupBucket`

const gib = 2 ** 30
const at = (percent: number) => ({
  bytes: (percent / 100) * 4 * gib,
  totalBytes: 4 * gib,
  files: percent / 10,
  totalFiles: 10,
  percent,
})
const running = (percent: number, reason = 'copying') =>
  backup({ status: 'in_progress', finishedAt: '', reason, progress: at(percent) })
const refusal = (status: number, code: string, error: string) => ({ status, body: { status, code, error } })

const told = (stderr: string) =>
  stderr
    .trim()
    .split('\n')
    .map((line) => line.replace(`backup ${backupId}: `, '').replace(/ \(after.*/, ''))

test('create --wait tells how far it is, a line for each tenth where no terminal is', async () => {
  await using api = await startFakeApi()
  api.on('POST', backups, result(running(0)))
  const steps = [0, 3, 12, 18, 47].map((percent) => result(running(percent)))
  api.on('GET', one, ...steps, result(running(90, 'reading it back: 40 %')), result(backup()))
  const { code, stdout, stderr } = await granary(api.url, ['backups', 'create', serviceId, '--wait'])
  assert.equal(code, 0)
  assert.match(stdout, /status +done/)
  assert.deepEqual(told(stderr), [
    'in_progress, copying',
    '12 %, 492 MiB of 4.0 GiB, 1.2 of 10 files',
    '47 %, 1.9 GiB of 4.0 GiB, 4.7 of 10 files',
    'in_progress, reading it back',
    '90 %, 3.6 GiB of 4.0 GiB, 9 of 10 files',
    'done',
  ])
})

test('on a terminal the progress is one line that is replaced, and gone at the end', async () => {
  await using api = await startFakeApi()
  api.on('POST', backups, result(running(0)))
  api.on('GET', one, result(running(3)), result(running(4)), result(backup()))
  const argv = ['backups', 'create', serviceId, '--wait']
  const { stderr } = await granary(api.url, argv, { isTTY: true })
  const [first = '', ...rest] = stderr.split('\n')
  assert.match(first, /in_progress, copying/)
  const lines = rest.join('\n').split('\r\u001b[2K')
  assert.match(lines[1] ?? '', /: 3 %, 123 MiB of 4.0 GiB/)
  assert.match(lines[2] ?? '', /: 4 %, 164 MiB of 4.0 GiB/)
  assert.match(lines[3] ?? '', /: done .*\n$/)
  assert.ok(lines.every((line) => line.replace('\n', '').length <= 79))
  const quiet = await granary(api.url, [...argv, '--quiet'], { isTTY: true })
  assert.equal(quiet.stderr, '')
})

test('a backup that fails ends create --wait with its reason and exit code 1', async () => {
  await using api = await startFakeApi()
  api.on('POST', backups, result(running(0)))
  api.on('GET', one, result(backup({ status: 'error', reason: 'the disk is full' })))
  const failed = await granary(api.url, ['backups', 'create', serviceId, '--wait'])
  assert.equal(failed.code, 1)
  assert.match(failed.stderr, /error: backup .* has failed: the disk is full\n$/)
  assert.match(failed.stdout, /status +error: the disk is full/)
})

test('verify --wait ends well, with 1 when it is damaged, and with 1 when it could not be read', async () => {
  const earlier = '2030-05-01T03:02:30.000Z'
  const later = '2030-05-01T12:00:05.000Z'
  const cases = [
    ['good', later, '', 0, /read back +good/],
    ['damaged', later, 'data/a.bin is gone', 1, /error: backup .* is damaged: data\/a.bin is gone/],
    ['good', earlier, 'no answer', 1, /error: backup .* was not checked: no answer/],
    ['damaged', earlier, 'no answer', 1, /error: backup .* was not checked: no answer/],
  ] as const
  for (const [status, checkedAt, reason, code, shows] of cases) {
    await using api = await startFakeApi()
    const verification = (now: 'in_progress' | typeof status, when: string, why = '') => ({
      verification: { status: now, checkedAt: when, reason: why },
    })
    const reading = backup({
      ...verification('in_progress', earlier, 'reading it back: 40 %'),
      progress: at(40),
    })
    api.on('POST', `${one}/verify`, result(reading))
    api.on('GET', one, result(reading), result(backup(verification(status, checkedAt, reason))))
    const ran = await granary(api.url, ['backups', 'verify', serviceId, backupId, '--wait'])
    assert.equal(ran.code, code, ran.stderr)
    assert.match(ran.stdout + ran.stderr, shows)
    assert.deepEqual(told(ran.stderr).slice(0, 2), [
      'reading it back',
      '40 %, 1.6 GiB of 4.0 GiB, 4 of 10 files',
    ])
  }
})

test('restore makes a service of the backup, tells how far it is, and shows endpoint and password', async () => {
  await using api = await startFakeApi()
  const restoring = (percent: number) =>
    service({ state: 'provisioning', stateReason: `restoring the backup: ${percent} % (1 of 2 GB)` })
  api.on('GET', services, result([service()]))
  api.on('GET', one, result(backup()))
  api.on('POST', services, result({ service: service({ state: 'provisioning' }), password: 'pass-word' }))
  api.on('GET', `${services}/${serviceId}`, result(restoring(3)), result(restoring(43)), result(service()))
  const argv = [
    'backups',
    'restore',
    'analytics',
    backupId,
    '--name',
    'again',
    '--replicas',
    '1',
    '--tag',
    'a=b',
  ]
  const { code, stdout, stderr } = await granary(api.url, argv)
  assert.equal(code, 0)
  assert.match(stdout, /endpoint +http:\/\/127.0.0.1:18123/)
  assert.match(stdout, /password +pass-word\n\n.*only time/)
  assert.deepEqual(
    stderr.split('\n').map((line) => line.replace(/^service analytics: /, '').replace(/ \(after.*/, '')),
    [
      'provisioning',
      'provisioning, restoring the backup',
      'restoring the backup: 43 % (1 of 2 GB)',
      'running',
      '',
    ],
  )
  const created = api.seen.find(({ method }) => method === 'POST')
  const tags = [{ key: 'a', value: 'b' }]
  assert.deepEqual(created?.body, { name: 'again', backupId, numReplicas: 1, tags })
})

test('restore that fails still shows the password, ends with 1, and does not begin with an unknown backup', async () => {
  await using api = await startFakeApi()
  const failed = service({ state: 'failed', stateReason: 'a file of the backup is damaged' })
  api.on('POST', services, result({ service: service({ state: 'provisioning' }), password: 'pass-word' }))
  api.on('GET', `${services}/${serviceId}`, result(failed))
  const argv = ['backups', 'restore', serviceId, backupId, '--name', 'again']
  const unknown = await granary(api.url, argv)
  assert.equal(unknown.code, 1)
  assert.ok(api.seen.every(({ method }) => method === 'GET'))
  api.on('GET', one, result(backup()))
  const ran = await granary(api.url, argv)
  assert.equal(ran.code, 1)
  assert.match(ran.stdout, /pass-word/)
  assert.match(ran.stderr, /has failed: a file of the backup is damaged/)
  const before = api.seen.length
  assert.equal((await granary(api.url, [...argv, '--no-wait'])).code, 0)
  assert.equal(api.seen.length, before + 2)
  assert.equal((await granary(api.url, argv.slice(0, 4))).code, 2)
})

test('the secret of a bucket comes from standard input, and is shown nowhere', async () => {
  await using api = await startFakeApi()
  const secret = 'the-secret-of-the-bucket'
  api.on('POST', place, refusal(400, 'BAD_REQUEST', `BAD_REQUEST: it quotes ${secret}`), result(bucket))
  const argv = [
    'backups',
    'bucket',
    'set',
    serviceId,
    '--path',
    'https://minio:9000/b',
    '--access-key-id',
    'me',
  ]
  const options = { stdin: `${secret}\n` }
  const refused = await granary(api.url, [...argv, '--stdin'], options)
  assert.equal(refused.code, 1)
  const done = await granary(api.url, [...argv, '--stdin'], options)
  assert.equal(done.code, 0)
  for (const ran of [refused, done]) assert.doesNotMatch(ran.stdout + ran.stderr, new RegExp(secret))
  const body = { bucketPath: 'https://minio:9000/b', accessKeyId: 'me', secretAccessKey: secret }
  assert.deepEqual(
    api.seen.map((request) => request.body),
    [body, body],
  )
  assert.equal((await granary(api.url, [...argv, '--stdin'], { stdin: '\n' })).code, 2)
  assert.equal((await granary(api.url, argv.slice(0, 4))).code, 2)
  assert.equal(api.seen.length, 2)
})

test('bucket set changes the one that is there; another conflict is told as it is', async () => {
  await using api = await startFakeApi()
  const conflict = refusal(409, 'CONFLICT', 'CONFLICT: the service has a backup bucket already')
  api.on('POST', place, conflict)
  api.on('PATCH', place, result(bucket), refusal(404, 'NOT_FOUND', 'NOT_FOUND: no such backup bucket'))
  const set = () =>
    granary(api.url, ['backups', 'bucket', 'set', serviceId, '--path', 'https://minio:9000/b'])
  assert.equal((await set()).code, 0)
  assert.deepEqual(api.seen.at(-1)?.body, { bucketPath: 'https://minio:9000/b' })
  const other = await set()
  assert.equal(other.code, 1)
  assert.match(other.stderr, /409 CONFLICT/)
})

test('bucket remove asks on a terminal, and needs --yes without one', async () => {
  await using api = await startFakeApi()
  api.on('DELETE', place, result(bucket))
  const argv = ['backups', 'bucket', 'remove', serviceId]
  assert.equal((await granary(api.url, argv)).code, 2)
  assert.equal((await granary(api.url, argv, { isInteractive: true, answer: 'n' })).code, 1)
  assert.equal(api.seen.length, 0)
  assert.equal((await granary(api.url, argv, { isInteractive: true, answer: 'y' })).code, 0)
})

test('a list shows how far the one is that runs, and what is damaged', async () => {
  await using api = await startFakeApi()
  const damaged = backup({ verification: { status: 'damaged', checkedAt: '', reason: 'a.bin is gone' } })
  api.on('GET', backups, result([running(43), damaged]))
  const { stdout } = await granary(api.url, ['backups', 'list', serviceId])
  assert.match(stdout, /9 h ago +43 % +good/)
  assert.match(stdout, /9 h ago +done +damaged/)
})
