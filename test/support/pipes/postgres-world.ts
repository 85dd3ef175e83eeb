import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import type { Ends } from '../server.ts'
import { patienceMs, startWarehouse, type Warehouse, type WarehouseService } from '../warehouse.ts'
import { type PipeAnswer, untilPipe } from './file-pipe.ts'
import { type PostgresRig, startPostgresRig } from './postgres-rig.ts'

/** A PostgreSQL, and a service into which pipes copy its tables. */
export interface PostgresWorld {
  postgres: PostgresRig
  warehouse: Warehouse
  service: WarehouseService
  /** Makes a pipe from the body of a request. */
  create(body: object): Promise<{ id: string; serviceId: string }>
  /** Makes a pipe and waits until it follows its source. */
  follow(...pipe: Parameters<PostgresRig['pipe']>): Promise<{ id: string; serviceId: string }>
  command(pipe: { id: string }, command: 'start' | 'stop' | 'resync'): Promise<void>
  /** Stops the pipe and waits until it is paused. */
  pause(pipe: { id: string; serviceId: string }): Promise<PipeAnswer>
  /** Resolves with the reason when the pipe has failed. */
  failure(pipe: { id: string; serviceId: string }): Promise<string>
  ask(sql: string): Promise<string>
  /** Asks until the answer is this one. */
  until(sql: string, expected: string): Promise<void>
}

export async function startPostgresWorld(t: Ends, settings?: Record<string, string>): Promise<PostgresWorld> {
  const postgres = await startPostgresRig(t, settings)
  const warehouse = await startWarehouse(t)
  const service = await warehouse.create({ name: 'copy' })
  const { api } = warehouse
  const pipes = `/services/${service.id}/pipes`

  const world: PostgresWorld = {
    ...{ postgres, warehouse, service },
    async create(body) {
      const made = await api('POST', pipes, body)
      assert.equal(made.status, 200, JSON.stringify(made.body))
      assert.doesNotMatch(JSON.stringify(made.body), /geheim/)
      return made.body.result
    },
    async follow(...pipe) {
      const made = await world.create(postgres.pipe(...pipe))
      await untilPipe(api, made, ({ state }) => state === 'Running')
      return made
    },
    async command({ id }, command) {
      const reply = await api('PATCH', `${pipes}/${id}/state`, { command })
      assert.equal(reply.status, 200, JSON.stringify(reply.body))
    },
    async pause(pipe) {
      await world.command(pipe, 'stop')
      return untilPipe(api, pipe, ({ state }) => state === 'Paused')
    },
    async failure(pipe) {
      let reason = ''
      await untilPipe(api, pipe, (each) => {
        reason = each.reason
        return each.state === 'Failed'
      })
      return reason
    },
    async ask(sql) {
      const { text, status } = await service.sql(sql)
      return status === 200 ? text.trim() : `${status}: ${text}`
    },
    async until(sql, expected) {
      for (const deadline = performance.now() + patienceMs; ; await setTimeout(50)) {
        const found = await world.ask(sql)
        if (found === expected) return
        if (performance.now() < deadline) continue
        const { body } = await api('GET', pipes)
        const states = body.result.map(({ state, reason, stats }: PipeAnswer) => ({ state, reason, stats }))
        assert.equal(found, expected, `${sql}: ${JSON.stringify(states)}`)
      }
    },
  }
  return world
}
