import { advance, createLexer, isPunctuation, isWord } from '../../lib/clickhouse/lexer.ts'
import { unquote } from '../../lib/clickhouse/literals.ts'

/**
 * Whether an expression gives the same for the same rows at any time. It reads no other table, and calls only
 * functions that are known to do so; one that is not known here is not trusted.
 */
export function isSteady(sql: string): boolean {
  const lexer = createLexer(sql)
  for (let kind = advance(lexer); kind !== 'end'; kind = advance(lexer)) {
    if (kind !== 'word' && kind !== 'identifier') continue
    if (isWord(lexer, 'select') || isWord(lexer, 'with')) return false
    const word = sql.slice(lexer.start, lexer.end)
    const after = createLexer(sql, lexer.end)
    advance(after)
    if (isWord(lexer, 'in')) {
      // `x IN name` reads a table.
      if (!isPunctuation(after, '(') && !isPunctuation(after, '[')) return false
    } else if (isPunctuation(after, '(') ? !steady.test(word) : momentary.test(unquote(word))) return false
  }
  return true
}

/** The engine calls these functions also where no brackets follow their name. */
const momentary = /^(now|today|current_timestamp|localtimestamp|localtime|current_date|curdate)$/i

const steady = new RegExp(
  `^(?!today$)(${[
    ...[
      'and',
      'or',
      'not',
      'xor',
      'if',
      'multiIf',
      'ifNull',
      'nullIf',
      'coalesce',
      'isNull',
      'isNotNull',
      'assumeNotNull',
    ],
    ...[
      'equals',
      'notEquals',
      'less',
      'greater',
      'lessOrEquals',
      'greaterOrEquals',
      'between',
      'like',
      'ilike',
      'is',
    ],
    ...[
      'plus',
      'minus',
      'multiply',
      'divide',
      'intDiv\\w*',
      'modulo\\w*',
      'positiveModulo',
      'negate',
      'abs',
      'sign',
    ],
    ...[
      'round\\w*',
      'floor',
      'ceil',
      'trunc',
      'least',
      'greatest',
      'sqrt',
      'exp\\w*',
      'log\\w*',
      'pow\\w*',
      'bit\\w*',
    ],
    ...[
      'is(Finite|Infinite|NaN)',
      'lower\\w*',
      'upper\\w*',
      'length\\w*',
      'concat\\w*',
      'substr\\w*',
      'trim\\w*',
      'reverse',
    ],
    ...[
      'starts?With',
      'ends?With',
      'position\\w*',
      'has\\w*',
      'match',
      'multi(Search|Match)\\w*',
      'extract\\w*',
      'replace\\w*',
    ],
    ...[
      'split\\w*',
      'format',
      'to(String|U?Int|Float|Decimal|Date|DateTime|StartOf|Year|Month|Day|Hour|Minute|Second|Unix|Mon|YYYY|Relative|UUID|IPv|Fixed|LowCard|Nullable|TypeName|Bool)\\w*',
    ],
    ...[
      'from\\w*',
      'parse\\w*',
      'format(DateTime|Readable)\\w*',
      'date(Diff|Add|Sub|Name|_trunc|Trunc)\\w*',
      'cast',
      'accurateCast\\w*',
      'reinterpret\\w*',
    ],
    ...[
      'array\\w*',
      'map\\w*',
      'tuple\\w*',
      'element',
      'empty',
      'notEmpty',
      'JSON\\w*',
      'simpleJSON\\w*',
      'visitParam\\w*',
      'domain\\w*',
      'path\\w*',
      'cut\\w*',
      'protocol',
      'topLevelDomain',
    ],
    ...[
      'count\\w*',
      'sum\\w*',
      'avg\\w*',
      'min\\w*',
      'max\\w*',
      'uniq\\w*',
      'quantile\\w*',
      'median\\w*',
      'arg(Min|Max)\\w*',
      'stddev\\w*',
      'var\\w*',
      'group(Array|Uniq)\\w*',
      'any\\w*',
      'topK\\w*',
      'corr',
      'skew\\w*',
      'kurt\\w*',
    ],
    ...[
      'in',
      'interval',
      'cityHash64',
      'sipHash\\w*',
      'xxHash\\w*',
      'MD5',
      'SHA\\w*',
      'hex',
      'unhex',
      'base64\\w*',
      'transform',
      'getSubcolumn',
      'dynamic\\w*',
      'position',
    ],
  ].join('|')})$`,
  'i',
)
