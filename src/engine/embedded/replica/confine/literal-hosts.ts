import { advance, createLexer, isName, isPunctuation } from '../../../../lib/clickhouse/lexer.ts'
import { unquote } from '../../../../lib/clickhouse/literals.ts'
import { readAddress } from '../../../../lib/egress/address.ts'
import { type EgressList, isAllowed } from '../../../../lib/egress/list.ts'
import type { Endpoint } from '../../../../process/confine/egress.ts'

/**
 * The first address in the strings of a statement that it may not connect to; null = none. Only statements that name a
 * connecting function or engine are checked, and only addresses and `localhost` are known without a DNS lookup.
 * `endpoints` are those that the statement may reach besides.
 */
export function findRefusedHost(
  sql: string,
  list: EgressList,
  endpoints: readonly Pick<Endpoint, 'address'>[] = [],
): readonly number[] | null {
  if (!connecting.test(sql) && !sql.includes('\\')) return null
  const lexer = createLexer(sql)
  let connects = false
  let name = ''
  const strings: string[] = []
  for (advance(lexer); lexer.kind !== 'end' && lexer.kind !== 'error'; advance(lexer)) {
    const token = sql.slice(lexer.start, lexer.end)
    if (lexer.kind === 'string' || lexer.kind === 'heredoc') strings.push(unquote(token))
    // A column may have such a name: only a call connects, or a statement on a named collection.
    connects ||= /^collection$/i.test(name) || (isPunctuation(lexer, '(') && connecting.test(name))
    name = isName(lexer) ? unquote(token) : ''
  }
  if (!connects) return null
  const isGranted = (address: readonly number[]) =>
    endpoints.some((endpoint) => endpoint.address.join() === address.join())
  return strings.flatMap(hostsIn).find((address) => !isAllowed(list, address) && !isGranted(address)) ?? null
}

const connecting =
  /url|s3|gcs|oss|cosn|azure|hdfs|hudi|delta|iceberg|paimon|remote|mysql|postgre|mongo|redis|ytsaurus|jdbc|odbc|kafka|nats|rabbitmq|cluster|catalog|source|collection/i

/** A string may be an address, a list of addresses, or contain URLs. */
function hostsIn(text: string): (readonly number[])[] {
  return (
    text
      .split(/[\s,;|{}='"]+/)
      // The C library reads a number as an address. Small numbers reach no host, and occur in many texts.
      .filter((part) => !(/^\d+$/.test(part) && Number(part) < 2 ** 24))
      .map((part) => part.replace(/^[a-z][\w+.:-]*:\/\//i, '').replace(/^[^/@]*@/, ''))
      .map((part) => addressOf(part.split(/[/?#]/)[0] ?? ''))
      .filter((address) => address !== null)
  )
}

/** The URL parser knows all spellings of an address: 2130706433, 0x7f.1, 127.1. */
function addressOf(authority: string): readonly number[] | null {
  const bare = readAddress(authority)
  if (bare !== null || authority === '') return bare
  const url = `http://${authority}/`
  const host = URL.canParse(url) ? new URL(url).hostname : ''
  if (/(^|\.)localhost\.?$/.test(host)) return [127, 0, 0, 1]
  return readAddress(host.replace(/^\[|\]$/g, ''))
}
