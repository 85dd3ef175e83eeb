import { type Attack, q, type Step, url } from './attack.ts'
import type { Canaries } from './canaries.ts'

/** Every way to call the function `file`, in every place that takes an expression. */
export function readingAttacks({ secret }: Canaries): Attack[] {
  const path = q(secret)
  const calls = {
    plain: `file(${path})`,
    spaced: `file /* x */ -- y\n (${path})`,
    'with \\N': `"fi\\Nle"(${path})`,
    'with \\x': `"fi\\x6ce"(${path})`,
    'in backticks': `\`f\\x69le\`(${path})`,
    'in unicode quotes': `\u201cfile\u201d(${path})`,
    'by its name': `arrayMap(file, [${path}])[1]`,
    'in a lambda': `arrayMap(x -> file(x), [${path}])[1]`,
  }
  return Object.entries(calls).flatMap(([way, call], index) =>
    Object.entries(places(call, `r${index}`)).map(([place, steps]) => ({
      name: `file, ${way}, ${place}`,
      steps: Array.isArray(steps) ? steps : [steps],
    })),
  )
}

function places(call: string, id: string): Record<string, Step | Step[]> {
  const failing = `throwIf(1, ${call}) = 0`
  const structure = `a String, b String DEFAULT ${call}`
  const alias = `a String, b String ALIAS ${call}`
  return {
    'in a SELECT': `SELECT ${call}`,
    'in a GET': { method: 'GET', search: url({ query: `SELECT ${call}` }) },
    'in an error': `SELECT ${failing}`,
    'in EXPLAIN': `EXPLAIN actions = 1 SELECT ${call}`,
    'in the columns of format()': `SELECT * FROM format(JSONEachRow, ${q(structure)}, '{"a":"x"}')`,
    'in computed columns': `SELECT b FROM generateRandom(concat(${q(alias.slice(0, 30))}, ${q(alias.slice(30))})) LIMIT 1`,
    'in the columns of values()': `SELECT b FROM values(${q(alias)}, 'x')`,
    'in hexadecimal columns': `SELECT b FROM generateRandom(x'${Buffer.from(alias).toString('hex')}') LIMIT 1`,
    'in columns by a parameter': {
      search: url({ param_s: alias }),
      body: 'SELECT b FROM generateRandom({s:String}) LIMIT 1',
    },
    'in columns by an alias': `WITH ${q(alias)} AS s SELECT b FROM generateRandom(s) LIMIT 1`,
    'in columns of values() by a parameter': {
      search: url({ param_s: alias }),
      body: "SELECT b FROM values({s:String}, 'x')",
    },
    'in columns of values() by an alias': `WITH ${q(alias)} AS s SELECT b FROM values(s, 'x')`,
    'in columns of values() that have an alias': `SELECT b FROM values(${q(alias)} AS s, 'x')`,
    'in columns of values() in brackets': `SELECT b FROM values((${q(alias)}), 'x')`,
    'in columns of values() by a lambda': `WITH s -> (SELECT b FROM values(s, 'x')) AS f SELECT f(${q(alias)})`,
    'in columns of values() by a function': [
      `CREATE FUNCTION ${id}vf AS (s) -> (SELECT b FROM values(s, 'x'))`,
      `SELECT ${id}vf(${q(alias)})`,
    ],
    'in columns by a parameter of a view': [
      `CREATE VIEW ${id}pv AS SELECT b FROM generateRandom({s:String}) LIMIT 1`,
      `SELECT * FROM ${id}pv(s = ${q(alias)})`,
      `CREATE VIEW ${id}pw AS SELECT b FROM values({s:String}, 'x')`,
      `SELECT * FROM ${id}pw(s = ${q(alias)})`,
    ],
    'in columns by a parameter of an earlier request': [
      { search: url({ param_s: alias }), body: 'SELECT 1', session: 's' },
      { body: 'SELECT b FROM generateRandom({s:String}) LIMIT 1', session: 's' },
    ],
    'behind TO': `SELECT number AS view FROM numbers(2) ORDER BY view WITH FILL FROM 1 TO ${call}`,
    'in an aggregate function': `SELECT arrayReduce(${q(`quantile(${failing})`)}, [1])`,
    'in a setting of the URL': { search: url({ additional_result_filter: failing }), body: 'SELECT 1' },
    'in a SETTINGS clause': `SELECT 1 SETTINGS additional_result_filter = ${q(failing)}`,
    'in a filter of tables': `SELECT * FROM system.one SETTINGS additional_table_filters = {'system.one': ${q(failing)}}`,
    'in VALUES': [
      `CREATE TABLE ${id}v (a String) ENGINE = Memory`,
      `INSERT INTO ${id}v VALUES (${call})`,
      `SELECT * FROM ${id}v`,
    ],
    'in Values in VALUES': [
      `CREATE TABLE ${id}w (a String) ENGINE = Memory`,
      `INSERT INTO ${id}w VALUES ((SELECT a FROM format(Values, 'a String', ${q(`(${call})`)})))`,
      `SELECT * FROM ${id}w`,
    ],
    'in a view': [`CREATE VIEW ${id}view AS SELECT ${call}`, `SELECT * FROM ${id}view`],
    'in a function': [`CREATE FUNCTION ${id}f AS (x) -> ${call}`, `SELECT ${id}f(1)`],
    'in a default': [
      `CREATE TABLE ${id}d (a Int8, b String DEFAULT ${call}) ENGINE = Memory`,
      `INSERT INTO ${id}d (a) VALUES (1)`,
      `SELECT * FROM ${id}d`,
    ],
    'in a dictionary': [
      `CREATE DICTIONARY ${id}dict (k UInt64, v String) PRIMARY KEY k SOURCE(CLICKHOUSE(QUERY ${q(`SELECT 1 AS k, ${call} AS v`)})) LAYOUT(FLAT()) LIFETIME(0)`,
      `SELECT * FROM ${id}dict`,
    ],
    'in the pieces of a dictionary': [
      `CREATE TABLE ${id}t (a String) ENGINE = Memory`,
      `INSERT INTO ${id}t VALUES ('x')`,
      `CREATE DICTIONARY ${id}dp (a String, b String EXPRESSION 'file /*', c String EXPRESSION ${q(`*/ ${call.slice(call.indexOf('('))}`)}) PRIMARY KEY a SOURCE(CLICKHOUSE(TABLE '${id}t')) LAYOUT(COMPLEX_KEY_HASHED()) LIFETIME(0)`,
      `SELECT * FROM ${id}dp`,
    ],
    'in a QueryRunner': [
      `CREATE TABLE ${id}qr (query String) ENGINE == QueryRunner`,
      `INSERT INTO ${id}qr SELECT ${q(`SELECT throwIf(1, ${call})`)}`,
    ],
    'in a named collection': [
      `CREATE NAMED COLLECTION ${id}nc AS query = ${q(`SELECT 1 AS k, ${call} AS v`)}`,
      `CREATE DICTIONARY ${id}dn (k UInt64, v String) PRIMARY KEY k SOURCE(CLICKHOUSE(NAME ${id}nc)) LAYOUT(FLAT()) LIFETIME(0)`,
      `SELECT * FROM ${id}dn`,
    ],
    'in an external table': {
      form: { query: 'SELECT * FROM x', x_structure: structure, 'x:file': 'a\n' },
    },
    'beside another statement': `CREATE TEMPORARY TABLE ${id}p (a Int8) PARALLEL WITH SELECT ${call}`,
  }
}
