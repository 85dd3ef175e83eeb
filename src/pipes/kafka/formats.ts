import type { KafkaSource } from '../../domain/pipe/types.ts'
import type { Clock } from '../../lib/clock.ts'
import type { SourcePipe } from '../source.ts'
import { createJsonFormat } from './json-format.ts'
import type { RecordFormat } from './record-format.ts'
import type { Place } from './virtual-fields.ts'

export interface Formats {
  formatOf(place: Place): RecordFormat
  /** Shared by all lanes; undefined where the format needs none. */
  registry: { check(): Promise<void> } | undefined
}

export function createFormats(pipe: SourcePipe, _kafka: KafkaSource, _clock: Clock): Formats {
  return { formatOf: (place) => createJsonFormat(pipe, place), registry: undefined }
}
