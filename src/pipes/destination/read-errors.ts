import { quoteString } from '../../lib/clickhouse/identifiers.ts'
import {
  pageRawBytes,
  type RejectedRecords,
  RejectedUnreadable,
  type RejectingPipe,
  rawBytes,
} from '../rejected.ts'
import type { PipeWarehouse } from '../warehouse.ts'
import { errorsTableName, nameOf } from './errors-table.ts'
import { createQuestions, EngineFailure } from './questions.ts'

export interface RejectedParts {
  warehouseOf(pipe: { id: string; serviceId: string }): PipeWarehouse
}

/** UNKNOWN_TABLE, UNKNOWN_DATABASE: the pipe has not run yet, or someone dropped the table. */
const absent = new Set([60, 81])
const mostReasons = 100
/** Numbers and quoted values differ from record to record. */
const values = String.raw`'[^']*'|"[^"]*"|\`[^\`]*\`|[0-9]+`
const settings = { max_execution_time: '30' }

export function createRejectedRecords({ warehouseOf }: RejectedParts): RejectedRecords {
  async function ask<T>(
    { id, serviceId, spec }: RejectingPipe,
    statement: (table: string, ofPipe: string) => string,
    signal: AbortSignal,
  ): Promise<T[]> {
    // Pipes of databases have no errors table: what cannot be read stops them.
    if (spec.source.postgres !== undefined) return []
    const { database, table } = spec.destination
    const questions = createQuestions(warehouseOf({ id, serviceId }), [])
    const ofPipe = `pipe_id = ${quoteString(id)}`
    try {
      return await questions.rows<T>(statement(nameOf(database, errorsTableName(table)), ofPipe), {
        ...{ settings, signal, countsAsActivity: true },
      })
    } catch (error) {
      if (error instanceof EngineFailure && absent.has(error.code)) return []
      throw new RejectedUnreadable((error as Error).message, { cause: error })
    }
  }

  return {
    async list(pipe, { limit, after, signal }) {
      const place =
        'toUnixTimestamp64Milli(event_time), toUInt64OrZero(position), cityHash64(lane, source, position)'
      const [position = '0', hash = '0'] = after?.id.split('-') ?? []
      const earlier = after && `(${place}) < (${after.atMs}, ${number(position)}, ${number(hash)})`
      const rows = await ask<ErrorRow>(
        pipe,
        (table, ofPipe) => `SELECT toString(toUnixTimestamp64Milli(event_time)) AS at,
            lower(hex(toUInt64OrZero(position))) || '-' || lower(hex(cityHash64(lane, source, position))) AS id,
            source, position AS place, error_code, error,
            base64Encode(substring(raw_message, 1, ${Math.min(rawBytes, Math.floor(pageRawBytes / limit))})) AS raw, toString(raw_size) AS size
          FROM ${table} WHERE ${ofPipe} ${after ? `AND event_time <= fromUnixTimestamp64Milli(${after.atMs}) AND ${earlier}` : ''}
          ORDER BY event_time DESC, toUInt64OrZero(position) DESC, cityHash64(lane, source, position) DESC LIMIT ${limit}`,
        signal,
      )
      return rows.map(({ at, id, source, place: position, error_code: code, error: reason, raw, size }) => ({
        ...{ id, atMs: Number(at), source, position, code, reason },
        ...{ raw: Buffer.from(raw, 'base64'), rawSize: Number(size) },
      }))
    },
    async reasons(pipe, signal) {
      const rows = await ask<ReasonRow>(
        pipe,
        (
          table,
          ofPipe,
        ) => `SELECT error_code, argMax(error, event_time) AS reason, toString(count()) AS records,
            toString(toUnixTimestamp64Milli(min(event_time))) AS first,
            toString(toUnixTimestamp64Milli(max(event_time))) AS last
          FROM ${table} WHERE ${ofPipe}
          GROUP BY error_code, replaceRegexpAll(error, ${quoteString(values)}, '')
          ORDER BY count() DESC, last DESC LIMIT ${mostReasons}`,
        signal,
      )
      return rows.map(({ error_code: code, reason, records, first, last }) => ({
        ...{ code, reason, count: Number(records), firstAtMs: Number(first), lastAtMs: Number(last) },
      }))
    },
  }
}

interface ErrorRow {
  at: string
  id: string
  source: string
  place: string
  error_code: string
  error: string
  raw: string
  size: string
}

interface ReasonRow {
  error_code: string
  reason: string
  records: string
  first: string
  last: string
}

/** A number of a cursor, which a caller may have made up. */
const number = (hex: string): string => (/^[0-9a-f]{1,16}$/.test(hex) ? BigInt(`0x${hex}`).toString() : '0')
