import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { startGatewayRig, writer } from '../../test/support/gateway-rig.ts'
import { startPlainReplica } from '../../test/support/plain-replica.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

const authorization = `Authorization: Basic ${Buffer.from('default:secret').toString('base64')}\r\n`
const head = (start: string, rest = authorization) => `${start} HTTP/1.1\r\nHost: h\r\n${rest}`
const insert = 'POST /?query=INSERT+INTO+t+FORMAT+CSV'

/** Each is one request, in the pieces in which it is sent. */
const kinds: Record<string, string[]> = {
  'a statement in the body': [`${head('POST /')}Content-Length: 8\r\n\r\nSELECT 1`],
  'a body that comes later': [`${head('POST /')}Content-Length: 8\r\n\r\n`, 'SELECT', ' 1'],
  'a body in chunks': [`${head('POST /')}Transfer-Encoding: chunked\r\n\r\n8\r\nSELECT 1\r\n0\r\n\r\n`],
  'a statement in the URL': [`${head('GET /?query=SELECT+1')}\r\n`],
  'an insert that passes through': [`${head(insert)}Content-Length: 4\r\n\r\n1\n`, '2\n'],
  'a wrong password': [`${head('POST /?user=default&password=no', '')}Content-Length: 8\r\n\r\nSELECT 1`],
  'no such page': [`${head('POST /what')}Content-Length: 3\r\n\r\nabc`],
  'a ping': [`${head('GET /ping', '')}\r\n`],
}
function isWhole(answer: string): boolean {
  const [, length] = /\r\ncontent-length: (\d+)/i.exec(answer) ?? []
  return answer.length === answer.indexOf('\r\n\r\n') + 4 + Number(length)
}

const rounds = 500
/** A request that is kept takes more than four. */
const maxKib = 2

for (const [what, parts] of Object.entries(kinds))
  test(`nothing is left of ${what}`, async () => {
    await using replica = await startPlainReplica('w')
    replica.onHead((request, response) => {
      request.resume().on('end', () => response.end('w\n'))
    })
    await using rig = await startGatewayRig()
    const { port } = await rig.add('s', { replicas: [writer('w', replica)] })
    const socket = connect(port, '127.0.0.1').setNoDelay(true).setEncoding('latin1')
    await once(socket, 'connect')
    const askOften = async () => {
      for (let round = 0; round < rounds; round++) {
        for (const [index, part] of parts.entries()) {
          if (index > 0) await new Promise((resolve) => setImmediate(resolve))
          socket.write(part)
        }
        let answer = ''
        while (!isWhole(answer)) answer += String(await once(socket, 'data'))
      }
      collect()
      return process.memoryUsage().heapUsed
    }
    await askOften()
    const before = await askOften()
    const kib = ((await askOften()) - before) / 1024 / rounds
    socket.destroy()
    assert.ok(kib < maxKib, `${kib.toFixed(2)} KiB are left of each`)
  })
