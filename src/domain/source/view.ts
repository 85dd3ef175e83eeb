import type { SourceContent, SourceRecord } from './types.ts'

export interface SourceView extends SourceContent {
  id: string
  createdAt: string
  updatedAt: string
}

export function viewSource({ createdAtMs, updatedAtMs, id, ...content }: SourceRecord): SourceView {
  const createdAt = new Date(createdAtMs).toISOString()
  return { id, ...content, createdAt, updatedAt: new Date(updatedAtMs).toISOString() }
}
