// What the framework alone can do: one Fastify route that answers fixed bytes. read.ts starts it as a process.
import Fastify from 'fastify'

const app = Fastify()
const body = process.env['BARE_BODY'] ?? '{}'
app.get('/*', (_request, reply) => {
  reply.header('content-type', 'application/json; charset=utf-8').send(body)
})
await app.listen({ host: '127.0.0.1', port: Number(process.env['BARE_PORT']) })
console.log('bare listens')
