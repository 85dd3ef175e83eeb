import type { ResultOf } from '../../api/operations.ts'
import type { Form } from '../output.ts'
import { relativeTime } from '../units.ts'

export function lanesTable(form: Form, lanes: ResultOf<'pipes.lanes'>): string {
  if (lanes.length === 0) return 'no lanes yet: nothing of the source was read'
  const headings = ['LANE', 'POSITION', 'END', 'BEHIND', 'WORKER', 'MOVED']
  const rows = lanes.map(({ name, position, end, behindRecords, worker, updatedAt }) => [
    ...[name, position ?? '', end ?? '', String(behindRecords ?? ''), String(worker ?? '')],
    updatedAt === null ? '' : relativeTime(updatedAt, form.nowMs),
  ])
  return form.table(headings, rows)
}

export const shownRaw = 60
export const shownReason = 100

export function rejectedTable(form: Form, records: ResultOf<'pipes.rejectedRecords'>): string {
  if (records.length === 0) return none
  const headings = ['WHEN', 'SOURCE', 'POSITION', 'CODE', 'REASON', 'RECORD']
  const rows = records.map(({ at, source, position, code, reason, raw, isBase64 }) => [
    ...[relativeTime(at, form.nowMs), source, position, code, cut(reason, shownReason)],
    cut(isBase64 ? `base64: ${raw}` : raw, shownRaw),
  ])
  return form.table(headings, rows)
}

export function reasonsTable(form: Form, reasons: ResultOf<'pipes.rejectedReasons'>): string {
  if (reasons.length === 0) return none
  const rows = reasons.map(({ count, code, reason, lastAt }) => [
    ...[String(count), code, cut(reason, shownReason), relativeTime(lastAt, form.nowMs)],
  ])
  return form.table(['RECORDS', 'CODE', 'REASON', 'LAST'], rows)
}

const none = 'no record was rejected in the last seven days'

export function cut(text: string, most: number): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > most ? `${line.slice(0, most)}…` : line
}
