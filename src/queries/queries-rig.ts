// For tests: queries over a real replica.
import { accessOf, passing, startGatewayRig, writer } from '../../test/support/gateway-rig.ts'
import type { TestReplica } from '../../test/support/test-replica.ts'
import type { Series } from '../domain/dashboard/types.ts'
import type { SourceRecord } from '../domain/source/types.ts'
import { systemClock } from '../lib/clock.ts'
import type { TileLimits } from './limits.ts'
import { createQueries, type Queries } from './queries.ts'
import type { Asking, TileAnswer, TileQuestion } from './question.ts'

export const unlimited: TileLimits = { timeoutSeconds: 60, memoryMb: 1024, readRows: 0, resultRows: 200_000 }

export interface QueriesRig {
  queries: Queries
  /** Asks a tile of these series on one source. */
  ask(
    type: TileQuestion['type'],
    series: readonly Partial<Series>[],
    more?: Partial<TileQuestion>,
    how?: Partial<Asking>,
  ): Promise<TileAnswer>
  /** Puts the service to sleep; the next question wakes it. */
  sleep(): void
  /** Lets time pass until the work is done. */
  passing<T>(work: Promise<T>): Promise<T>
  [Symbol.asyncDispose](): Promise<void>
}

export async function startQueriesRig(
  replica: TestReplica,
  source: SourceRecord,
  {
    limits = unlimited,
    span = { startMs: 0, endMs: 1 },
  }: { limits?: TileLimits; span?: TileQuestion['span'] } = {},
): Promise<QueriesRig> {
  const rig = await startGatewayRig()
  const address = `unix:${replica.spec.socketPath}`
  const service = await rig.add(source.serviceId, {
    access: accessOf(source.serviceId),
    replicas: [writer('w', { address })],
  })
  const queries = createQueries({
    ask: rig.gateway.ask,
    clock: systemClock,
    limits,
    sign: (text) => `signed ${text.length}`,
  })
  return {
    queries,
    ask: (type, series, more = {}, how = {}) =>
      queries.ask(questionOf(type, series, source, { span, ...more }), {
        signal: new AbortController().signal,
        ...how,
      }),
    sleep() {
      service.access = accessOf(source.serviceId, { state: 'idle', asleep: true })
      rig.gateway.refresh(source.serviceId)
      rig.onWake = () => {
        service.access = accessOf(source.serviceId)
      }
    },
    passing: (work) => passing(rig, work),
    [Symbol.asyncDispose]: () => rig[Symbol.asyncDispose](),
  }
}

function questionOf(
  type: TileQuestion['type'],
  series: readonly Partial<Series>[],
  source: SourceRecord,
  more: Partial<TileQuestion> & Pick<TileQuestion, 'span'>,
): TileQuestion {
  const complete = (one: Partial<Series>): Series => ({
    ...{ type, dataSource: 'events', aggFn: 'count', where: '', groupBy: [] },
    ...one,
  })
  return {
    ...{ type, isRatio: false, granularity: 'auto', where: '', whereLanguage: 'lucene', variables: {} },
    ...{ isSpanGiven: true, refresh: false, principal: 'tile:test' },
    series: series.map((one) => ({ series: complete(one), source })),
    ...more,
  }
}

export const sourceOf = (source: Partial<SourceRecord>): SourceRecord => ({
  ...{ id: '6'.repeat(24), createdAtMs: 0, updatedAtMs: 0, name: 'source', kind: 'events', serviceId: 's' },
  ...{
    database: 'default',
    table: 't',
    timestampColumn: 'ts',
    implicitColumn: '',
    aliases: {},
    isDefault: true,
  },
  ...source,
})
