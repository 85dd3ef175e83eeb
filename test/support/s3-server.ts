import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

/** A store with the S3 protocol. It knows the key id `S3RVER`, and accepts every secret for it. */
export interface S3Server {
  /** The URL of the bucket; ends with a slash. */
  url: string
  /** Where the objects are, as `<key>._S3rver_object`. */
  directory: string
}

const s3Bucket = 'granary-test'

/** In its own process: it needs a flag that the tests must not run with. */
export async function startS3Server(t: TestContext): Promise<S3Server> {
  const directory = mkdtempSync(join(tmpdir(), 'granary-s3-'))
  const script = `
    const S3rver = require('s3rver')
    const options = { port: 0, address: '127.0.0.1', silent: true, directory: ${JSON.stringify(directory)} }
    const server = new S3rver({ ...options, configureBuckets: [{ name: '${s3Bucket}' }] })
    server.run().then(({ port }) => process.stdout.write(port + '\\n'))
    process.stdin.on('end', () => process.exit()).resume()`
  const args = ['--openssl-legacy-provider', '--no-deprecation', '-e', script]
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  t.after(async () => {
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
    rmSync(directory, { recursive: true, force: true })
  })
  const [port] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string]
  return { url: `http://127.0.0.1:${port.trim()}/${s3Bucket}/`, directory: join(directory, s3Bucket) }
}
