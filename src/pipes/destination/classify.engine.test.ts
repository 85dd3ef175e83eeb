import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startDestinationRig } from '../../../test/support/destination-rig.ts'
import { meaningOf } from './classify.ts'

/** One or more errors of each group, by the engine's name. */
const meanings = {
  data: [
    ...[
      'CANNOT_PARSE_TEXT',
      'CANNOT_PARSE_INPUT_ASSERTION_FAILED',
      'CANNOT_PARSE_DATETIME',
      'INCORRECT_DATA',
    ],
    ...[
      'CANNOT_READ_ALL_DATA',
      'CANNOT_PARSE_UUID',
      'UNKNOWN_ELEMENT_OF_ENUM',
      'PARQUET_EXCEPTION',
      'AVRO_EXCEPTION',
    ],
    ...['ZLIB_INFLATE_FAILED', 'ZSTD_DECODER_FAILED', 'BROTLI_READ_FAILED', 'LZMA_STREAM_DECODER_FAILED'],
    ...['TYPE_MISMATCH', 'DECIMAL_OVERFLOW', 'CANNOT_EXTRACT_TABLE_STRUCTURE', 'PROTOBUF_BAD_CAST'],
  ],
  retry: [
    ...['TIMEOUT_EXCEEDED', 'TOO_MANY_SIMULTANEOUS_QUERIES', 'MEMORY_LIMIT_EXCEEDED', 'NOT_ENOUGH_SPACE'],
    ...['TOO_MANY_PARTS', 'NETWORK_ERROR', 'ALL_CONNECTION_TRIES_FAILED', 'UNKNOWN_STATUS_OF_INSERT'],
    ...['QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING', 'TABLE_IS_READ_ONLY', 'KEEPER_EXCEPTION', 'S3_ERROR'],
    ...['QUERY_WAS_CANCELLED', 'ABORTED', 'AZURE_BLOB_STORAGE_ERROR', 'HDFS_ERROR'],
  ],
  stop: [
    ...[
      'UNKNOWN_TABLE',
      'UNKNOWN_DATABASE',
      'NO_SUCH_COLUMN_IN_TABLE',
      'TABLE_IS_DROPPED',
      'VIOLATED_CONSTRAINT',
    ],
    ...['READONLY', 'ACCESS_DENIED', 'FUNCTION_THROW_IF_VALUE_IS_NON_ZERO'],
  ],
  bug: ['SYNTAX_ERROR', 'UNKNOWN_SETTING', 'LOGICAL_ERROR', 'UNKNOWN_FORMAT', 'BAD_ARGUMENTS'],
} as const

test('errors of the engine are told apart by their codes', async (t) => {
  const rig = await startDestinationRig()
  t.after(() => rig.stop())
  const names = await rig.sql('SELECT number, errorCodeToName(number) FROM numbers(1100)')
  const codes = new Map(
    names.split('\n').map((line) => {
      const [code = '', name = ''] = line.split('\t')
      return [name, Number(code)]
    }),
  )
  for (const [meaning, group] of Object.entries(meanings)) {
    for (const name of group) assert.equal(meaningOf(codes.get(name) ?? -1), meaning, name)
  }
})
