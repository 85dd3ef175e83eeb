import { advance, createLexer, isName, isPunctuation, type Lexer } from './lexer.ts'
import { unquote } from './literals.ts'

/** The name of the function if the token begins the call of one that reaches files or other machines; else null. */
export function outsideCall(lexer: Lexer): string | null {
  if (!isName(lexer)) return null
  const name = unquote(lexer.text.slice(lexer.start, lexer.end))
  if (!outside.test(name)) return null
  const after = createLexer(lexer.text, lexer.end)
  advance(after)
  return isPunctuation(after, '(') ? name : null
}

/**
 * Table functions whose rows are elsewhere; a test compares the list with the engine's. Case does not count for some
 * of them, so it counts for none here.
 */
const outside = new RegExp(
  `^(${[
    'arrowstream|azureBlobStorage(Cluster)?|cluster(AllReplicas)?|cosn|deltaLake(Azure|Local|S3)?(Cluster)?',
    'executable|file(Cluster)?|filesystem|gcs|hdfs(Cluster)?|hudi(Cluster)?',
    'iceberg(Azure|HDFS|Local|S3)?(Cluster)?|jdbc|mongodb|mysql|odbc|oss|paimon(Azure|HDFS|Local|S3)?(Cluster)?',
    'postgresql|redis|remote(Secure)?|s3(Cluster)?|sqlite|url(Cluster)?|ytsaurus',
  ].join('|')})$`,
  'i',
)
