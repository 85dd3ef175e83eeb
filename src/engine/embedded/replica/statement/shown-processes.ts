import { hideStrings } from '../../../../lib/clickhouse/hide-strings.ts'
import { quoteString } from '../../../../lib/clickhouse/identifiers.ts'
import { advance, createLexer, isPunctuation, isWord } from '../../../../lib/clickhouse/lexer.ts'
import { replaceTable } from '../../../../lib/clickhouse/table-references.ts'
import { tagSetting } from '../../filter/settings.ts'
import type { Connections } from '../engine/connections.ts'
import type { RunningStatements } from './running.ts'

/**
 * What clients see of the running statements. In the engine a statement has an id of its own, the names of FIFOs in its
 * text, and always the same user; clients know their own ids, texts and users. So a client that reads
 * `system.processes` reads a subquery instead, with the values that the clients gave, matched by the tags of their
 * connections. The replica's own statements have no such tag and are left out.
 */
export interface ShownProcesses {
  /** The statement with `system.processes` replaced by the subquery; unchanged if it does not read that table. */
  inPlaceOfTable(sql: string, database: string): Promise<string>
  /** A query in brackets: the columns of `system.processes`, and `granary_tag`. */
  subquery(): Promise<string>
  /** Hides the strings of texts in which the engine finds secrets, so that every client may see them. */
  withoutSecrets(texts: readonly string[]): Promise<string[]>
}

/** The limit for all texts together; the engine refuses statements of more than 256 KiB. */
const maxTextLength = 64 * 1024

export function createShownProcesses(
  statements: RunningStatements,
  parse: Connections['parse'],
): ShownProcesses {
  async function withoutSecrets(texts: readonly string[]): Promise<string[]> {
    const parsed = await parse(texts)
    return texts.map((text, index) => (isHarmless(parsed[index]) ? text : hideStrings(text)))
  }

  async function subquery(): Promise<string> {
    const all = statements.inEngine()
    const maxLength = Math.floor(maxTextLength / all.length)
    const texts = (await withoutSecrets(all.map(({ text }) => text))).map((text) => text.slice(0, maxLength))
    const pick = (values: readonly string[]) => `[${values.map(quoteString).join()}][granary_at]`
    const [id, user] = [pick(all.map(({ queryId }) => queryId)), pick(all.map(({ user }) => user))]
    const columns = {
      ...{ query_id: id, initial_query_id: id, user, initial_user: user, query: pick(texts) },
      normalized_query_hash: `normalizedQueryHash(${pick(texts)})`,
      Settings: `mapFilter((name, value) -> name != '${tagSetting}', granary.Settings)`,
    }
    const replaced = Object.entries(columns).map(([name, value]) => `${value} AS ${name}`)
    const tags = `[${all.map(({ tag }) => quoteString(tag)).join()}]`
    return `(WITH granary.Settings['${tagSetting}'] AS granary_tag, indexOf(${tags}, granary_tag) AS granary_at
      SELECT * REPLACE (${replaced.join()}), granary_tag FROM system.processes AS granary WHERE granary_at > 0)`
  }

  return {
    async inPlaceOfTable(sql, database) {
      if (!/process/i.test(sql)) return sql
      const list = inPlaceOfShow(sql)
      const isCurrentDatabase = database === 'system'
      const replace = (subquery: string) =>
        replaceTable(list, { database: 'system', table: 'processes', isCurrentDatabase, subquery })
      return replace('') === list ? sql : replace(`(SELECT * EXCEPT granary_tag FROM ${await subquery()})`)
    },
    subquery,
    withoutSecrets,
  }
}

/** A text that the engine cannot parse may contain secrets. */
const isHarmless = (parsed: { isValid: boolean; hasSecrets: boolean } | undefined): boolean =>
  parsed?.isValid === true && !parsed.hasSecrets

/** SHOW PROCESSLIST is another way to write a SELECT. */
function inPlaceOfShow(sql: string): string {
  const lexer = createLexer(sql)
  advance(lexer)
  while (isPunctuation(lexer, ';')) advance(lexer)
  const { start } = lexer
  if (!isWord(lexer, 'show')) return sql
  advance(lexer)
  if (!isWord(lexer, 'processlist')) return sql
  return `${sql.slice(0, start)}SELECT * FROM system.processes ORDER BY elapsed DESC${sql.slice(lexer.end)}`
}
