/** The `Content-Type` that ClickHouse gives a result in this format. */
export function contentType(format: string): string {
  const name = format.toLowerCase()
  const known = special.get(name)
  if (known !== undefined) return known
  if (binary.has(name)) return 'application/octet-stream'
  if (/^(tsv|tabseparated|raw(with|$)|lineasstring|tskv)/.test(name)) {
    return 'text/tab-separated-values; charset=UTF-8'
  }
  if (name.startsWith('csv')) {
    return `text/csv; charset=UTF-8; header=${name.includes('withnames') ? 'present' : 'absent'}`
  }
  if (/^(pretty)?(ndjson|jsonl|jsonlines|jsoneachrow|jsonstringseachrow)$/.test(name)) {
    return 'application/x-ndjson; charset=UTF-8'
  }
  const isRowsOfArrays = /^jsoncompact(strings)?eachrow(withnames(andtypes)?)?$/.test(name)
  return name.startsWith('json') && !isRowsOfArrays ? 'application/json; charset=UTF-8' : plainText
}

/** Formats with a JSON object in each line. */
export const isJsonLines = (format: string): boolean =>
  /^JSON(Strings)?EachRow$/i.test(format) || showsProgress(format)

/** Formats with lines of progress between those of the rows. */
export const showsProgress = (format: string): boolean => /EachRowWithProgress$/i.test(format)

export const plainText = 'text/plain; charset=UTF-8'

const special = new Map([
  ['xml', 'application/xml; charset=UTF-8'],
  ['geojson', 'application/geo+json; charset=UTF-8'],
  ['png', 'image/png'],
  ['prometheus', 'text/plain; version=0.0.4; charset=UTF-8'],
])

const binary = new Set(
  `arrow arrowstream avro avroconfluent bsoneachrow buffers capnproto msgpack mysqlwire native npy odbcdriver2 orc
  parquet postgresqlwire protobuf protobuflist protobufsingle rowbinary rowbinarywithnames
  rowbinarywithnamesandtypes rowbinarywithdefaults`.split(/\s+/),
)
