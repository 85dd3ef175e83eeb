import { closed, dateTime, Type, text } from './schema.ts'

const orNull = <T extends Parameters<typeof Type.Union>[0][number]>(type: T, description: string) =>
  Type.Union([type, Type.Null()], { description })

export const PipeLane = closed({
  name: text('The part of the source: a partition, a shard, a table, or a share of the objects.'),
  position: orNull(
    Type.String(),
    'Up to where it is in the table, in the words of the source; null = nothing yet.',
  ),
  end: orNull(
    Type.String(),
    'Where the source ends; null = the source does not tell, or no worker reads it here.',
  ),
  behindRecords: orNull(Type.Integer(), 'Records between them; null as for `end`.'),
  worker: orNull(Type.Integer(), 'The worker that reads it, from 0; null = none does.'),
  updatedAt: orNull(Type.String({ format: 'date-time' }), 'When its position last moved; null = never.'),
})

export const RejectedRecord = closed({
  at: dateTime('When it was rejected.'),
  source: text('Topic and partition, stream and shard, or the object.'),
  position: text('Its place there: offset, sequence number, or the number of the record in the object.'),
  code: text('`parse`, `schema`, `too_large`, `decompress`, `unreadable` or `refused`.'),
  reason: text('Why, in the words of the engine.'),
  field: orNull(Type.String(), 'The field at fault; null = it is not known.'),
  raw: text('Its bytes as a text, at most 64 KiB of them; less with a `limit` of more than 128.'),
  isBase64: Type.Boolean({ description: 'The bytes are no UTF-8, and `raw` has them in base64.' }),
  isTruncated: Type.Boolean({ description: '`raw` is only the beginning.' }),
  rawSize: Type.Integer({ description: 'How many bytes there were.' }),
})

export const RejectedReason = closed({
  code: text('As in the records.'),
  reason: text('Why the newest of these records was rejected.'),
  count: Type.Integer({ description: 'How many records; reasons that differ only in values count as one.' }),
  firstAt: dateTime('When the first was rejected.'),
  lastAt: dateTime('When the last was rejected.'),
})
