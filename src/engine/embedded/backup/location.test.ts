import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { startS3Server } from '../../../../test/support/s3-server.ts'
import { readEgressList } from '../../../lib/egress/list.ts'
import type { BackupLocation } from '../../backup.ts'
import { readAddress } from './bucket.ts'
import { openLocation } from './location.ts'
import { BackupError } from './reasons.ts'

const secret = 'not-to-be-seen-0123456789'
const anywhere = { backupsDir: '/nowhere', egress: readEgressList('private') }
const never = new AbortController().signal

function bucketAt(url: string, accessKeyId = 'S3RVER'): BackupLocation {
  return { kind: 's3', url, accessKeyId, secretAccessKey: secret, roleArn: '', roleSessionName: '' }
}

async function reasonOf(place: BackupLocation): Promise<{ message: string; retryable: boolean }> {
  const opened = await openLocation(place, anywhere)
  try {
    await opened.probe(never)
  } catch (error) {
    assert.ok(error instanceof BackupError, String(error))
    assert.ok(!JSON.stringify([error.message, error.stack, error.cause]).includes(secret))
    return { message: error.message, retryable: error.retryable }
  } finally {
    opened.close()
  }
  return { message: '', retryable: false }
}

/** A server that answers every request with this error. */
async function startRefusing(t: TestContext, status: number, code: string): Promise<string> {
  const server = createServer((request, response) => {
    request.resume()
    const body = `<Error><Code>${code}</Code><Message>about ${secret}</Message></Error>`
    response.writeHead(status, { 'content-type': 'application/xml' }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/bucket/`
}

test('a bucket is tried by writing, reading and removing; nothing is left', async (t) => {
  const { url, directory } = await startS3Server(t)
  assert.deepEqual(await reasonOf(bucketAt(`${url}folder/`)), { message: '', retryable: false })
  assert.deepEqual(existsSync(join(directory, 'folder')) ? readdirSync(join(directory, 'folder')) : [], [])
  const missing = new URL('/no-such-bucket/', url)
  const noBucket = `there is no bucket no-such-bucket at ${missing.host} (NoSuchBucket)`
  assert.equal((await reasonOf(bucketAt(missing.href))).message, noBucket)
  assert.match((await reasonOf(bucketAt(url, 'UNKNOWN'))).message, /InvalidAccessKeyId|AccessDenied/)
})

test('what a store refuses is said in words, and never with the secret', async (t) => {
  for (const [status, code, expected] of [
    [
      403,
      'AccessDenied',
      /^the keys do not allow this in bucket bucket at 127\.0\.0\.1:\d+ \(AccessDenied\)$/,
    ],
    [403, 'SignatureDoesNotMatch', /^the secret key does not belong to the access key id/],
    [403, 'InvalidAccessKeyId', /^the access key id is not known there/],
    [400, 'Strange', /^127\.0\.0\.1:\d+ refused it \(Strange, 400\)$/],
  ] as const) {
    const { message, retryable } = await reasonOf(bucketAt(await startRefusing(t, status, code)))
    assert.match(message, expected)
    assert.equal(retryable, false)
  }
})

test('a store that is not there may come back', async () => {
  const { message, retryable } = await reasonOf(bucketAt('http://127.0.0.1:1/bucket/'))
  assert.deepEqual([message, retryable], ['127.0.0.1:1 cannot be reached: nothing listens there', true])
})

test('a backup in a bucket is removed whole, and nothing beside it', async (t) => {
  const { url, directory } = await startS3Server(t)
  const place = await openLocation(bucketAt(`${url}f/`), anywhere)
  for (const name of ['b1/.backup', ...Array.from({ length: 40 }, (_, n) => `b1/data/${n}`), 'b10/.backup']) {
    const response = await fetch(`${url}f/${name}`, { method: 'PUT', body: 'x' })
    assert.equal(response.status, 200)
  }
  assert.equal(await place.folderOf('b1').sizeOf('data/7'), 1)
  assert.equal(await place.folderOf('b1').sizeOf('data/70'), null)
  await place.folderOf('b1').remove()
  await place.folderOf('b1').remove()
  assert.equal(await place.folderOf('b1').sizeOf('.backup'), null)
  assert.equal(await place.folderOf('b10').sizeOf('.backup'), 1)
  assert.ok(existsSync(join(directory, 'f')))
  place.close()
})

test('a local backup is removed whole; names reach nothing else', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'granary-places-'))
  t.after(() => rmSync(root, { recursive: true, force: true }))
  mkdirSync(join(root, 'b1/data'), { recursive: true })
  writeFileSync(join(root, 'b1/.backup'), '')
  const place = await openLocation({ kind: 'local' }, { ...anywhere, backupsDir: root })
  await place.probe(never)
  await place.folderOf('b1').remove()
  await place.folderOf('b1').remove()
  assert.deepEqual(readdirSync(root), [])
  assert.throws(() => place.folderOf('../b1'), BackupError)
  const gone = await openLocation({ kind: 'local' }, { ...anywhere, backupsDir: join(root, 'no') })
  await assert.rejects(gone.probe(never), { message: 'backups cannot be kept on this machine: ENOENT' })
})

test('a bucket is found in the host or in the path, and its region in the host', () => {
  assert.deepEqual(readAddress('https://backups.s3.eu-central-1.amazonaws.com/a/b/'), {
    endpoint: 'https://s3.eu-central-1.amazonaws.com',
    ...{ bucket: 'backups', prefix: 'a/b/', isInHost: true, region: 'eu-central-1' },
  })
  assert.deepEqual(readAddress('https://s3.eu-west-1.amazonaws.com/backups/a/'), {
    endpoint: 'https://s3.eu-west-1.amazonaws.com',
    ...{ bucket: 'backups', prefix: 'a/', isInHost: false, region: 'eu-west-1' },
  })
  assert.deepEqual(readAddress('http://127.0.0.1:9000/backups/'), {
    endpoint: 'http://127.0.0.1:9000',
    ...{ bucket: 'backups', prefix: '', isInHost: false, region: 'us-east-1' },
  })
})

test('a bucket that answers with something else than what was written is refused', async (t) => {
  for (const lie of ['', 'granary', (text: string) => `${text}!`, (text: string) => text.slice(0, -1)]) {
    let written = ''
    const removed: string[] = []
    const server = createServer(async (request, response) => {
      let body = ''
      for await (const chunk of request.setEncoding('utf8')) body += chunk
      if (request.method === 'PUT') written = body
      if (request.method === 'DELETE') removed.push(request.url ?? '')
      response.end(request.method === 'GET' ? (typeof lie === 'string' ? lie : lie(written)) : '')
    }).listen(0, '127.0.0.1')
    t.after(() => server.close())
    await new Promise((resolve) => server.once('listening', resolve))
    const { message } = await reasonOf(
      bucketAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}/b/`),
    )
    assert.equal(message, 'what is read from the bucket is not what was written into it')
    assert.equal(removed.length, 1)
  }
})

test('a bucket is reached only where the list allows, however its address is written', async (t) => {
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(request.url ?? '')
    response.end()
  }).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  const egress = readEgressList('public, 10.0.0.0/8')
  for (const host of ['127.0.0.1', 'localhost', '2130706433', '0x7f.1', '[::ffff:127.0.0.1]']) {
    const place = await openLocation(bucketAt(`http://${host}:${port}/b/`), { ...anywhere, egress })
    t.after(() => place.close())
    for (const attempt of [() => place.probe(never), () => place.endpoints()]) {
      await assert.rejects(attempt, {
        name: 'BackupError',
        message: /^Backups may not connect to [^ ]+.*GRANARY_SOURCE_EGRESS_ALLOW/,
        retryable: false,
      })
    }
  }
  const linkLocal = await openLocation(bucketAt('http://169.254.169.254/b/'), anywhere)
  t.after(() => linkLocal.close())
  await assert.rejects(linkLocal.probe(never), /may not connect to 169\.254\.169\.254/)
  assert.deepEqual(requests, [])
})
