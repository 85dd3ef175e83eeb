import {
  evaluatingFunctions,
  higherOrder,
  refusedFunctions,
  structureFirst,
  structureLater,
} from './names.ts'
import { type Argument, type Call, maxArguments, type Token } from './walk.ts'

/** The rules for calls whose arguments the engine evaluates as SQL or resolves as function names. */
export interface CallRules {
  call(call: Call): void
  /** Called for each name, with the token that precedes it. */
  noticeName(text: string, before: Token): void
  /** Called for each lambda, with the names of its parameters. */
  noticeParameters(names: readonly string[]): void
  end(): { texts: string[]; usesSubstitutions: boolean }
}

export function createCallRules({
  refuse,
  isDefinition,
  isView,
}: {
  refuse: (what: string) => never
  isDefinition: () => boolean
  /** The substitutions of a view get their values later, from the client that reads the view. */
  isView: () => boolean
}): CallRules {
  const texts: string[] = []
  let usesSubstitutions = false
  /** Words used as format names, and words that the SQL defines as aliases: a word in both may stand for any text. */
  const formats = new Set<string>()
  const aliases = new Set<string>()
  /** The SQL defines aliases whose names the rules cannot see. */
  let hasHiddenNames = false

  /** Handles an argument that the engine evaluates as SQL. */
  function evaluate(call: string, argument: Argument | undefined, mayBeName: boolean): void {
    if (argument === undefined) return
    const shape = argument.shape.replace(/^w=+/, '')
    if (shape === 's') texts.push(argument.text)
    else if (shape === '{}') substitute(call)
    else if (shape === 'w' && mayBeName) formats.add(argument.text)
    else if (!(harmless.test(shape) || (shape === 'w()' && groups.has(argument.text))))
      refuse(`A computed argument of ${call}`)
  }

  function substitute(call: string): void {
    if (isView()) refuse(`A parameter of a view as an argument of ${call}`)
    usesSubstitutions = true
  }

  /** The rows of `values(…)` may be computed; the column list before them must be a string or a substitution. */
  function values({ name, before, arguments: [first] }: Call): void {
    if (first === undefined) return
    if (first.shape === 's') texts.push(first.text)
    else if (first.shape === '{}') substitute(name)
    else if (beforeTables.has(before) && before !== 'table' && namedText.test(first.shape)) {
      if (!constants.has(first.text)) refuse(`A computed argument of ${name}`)
    }
  }

  function format({ name, before, arguments: given }: Call): void {
    const [first, second, third] = given
    if (first === undefined || second === undefined || given.length > 3) return
    // This is the string function format('{} {}', a, b), not the table function.
    if (first.shape === 's' && !/^\w+$/.test(first.text)) return
    if (!isPlain(first) && !beforeTables.has(before)) return
    if (!isPlain(first)) refuse(`A computed argument of ${name}`)
    if (first.shape === 'w') formats.add(first.text)
    // Values is the only format that can contain expressions.
    const mayBeValues = first.shape === '{}' || isValuesFormat(first.text)
    if (third !== undefined && beforeTables.has(before)) evaluate(name, second, false)
    if (mayBeValues) evaluate(name, third ?? second, false)
  }

  return {
    call(call) {
      const { name, arguments: given } = call
      const [first, second] = given
      if (first === undefined) return
      if (name === 'format') format(call)
      else if (evaluatingFunctions.has(name)) evaluate(name, first, false)
      else if (name === 'values') values(call)
      // lambda(…) is another spelling of the arrow.
      else if (name === 'lambda') hasHiddenNames = true
      else if (structureFirst.has(name)) evaluate(name, first, false)
      else if (structureLater.has(name)) {
        for (const argument of given.slice(1)) evaluate(name, argument, true)
        const isHidden = !isPlain(first) && first.shape !== '' && !sourceShape.test(first.shape)
        if (isDefinition() && (isHidden || given.some(({ text }) => isValuesFormat(text))))
          refuse(`The format Values of ${name}`)
      } else if (name === 'embeddedrocksdb' && given.length > 1) refuse('A directory for EmbeddedRocksDB')
      else if (second !== undefined && higherOrder.has(name)) {
        if (first.shape === '{!') refuse(`A substitution as the function of ${name}`)
        const isFunction = refusedFunctions.has(first.text) || evaluatingFunctions.has(first.text)
        if (first.shape === 'w' && isFunction) refuse(`The function ${first.text}`)
      }
    },
    noticeName(text, before) {
      const isAlias = before.kind === 'w' ? !beforeNames.has(before.text) : ')s]n}'.includes(before.kind)
      if (isAlias) aliases.add(text)
    },
    noticeParameters(names) {
      for (const name of names) aliases.add(name)
      if (names.includes('') || names.length === maxArguments) hasHiddenNames = true
    },
    end() {
      for (const format of formats)
        if (hasHiddenNames || aliases.has(format)) refuse(`The alias ${format} as an argument`)
      return { texts, usesSubstitutions }
    },
  }
}

/** Recognizes the format Values by its name or by a file name's extension. */
export const isValuesFormat = (text: string): boolean => /^values$|\.values\b/i.test(text)

const isPlain = ({ shape }: Argument): boolean => /^(?:w=+)?(?:[swn]|\{\}|w\.w)$/.test(shape)

/** `host 'h' port 1`: a dictionary source that shares its name with a table function and has no format. */
const sourceShape = /^(?:w[swn])+$/
/** `x`, `x AS y`, `'text' AS y`, `{p:String} AS y`. */
const namedText = /^(?:w|s|\{\})w{0,2}$/
const constants = new Set(['null', 'true', 'false', 'nan', 'inf'])
/** A name after one of these words is a plain name; after any other word it is an alias. */
const beforeNames = new Set(
  `all and any asof between by case cross desc describe distinct div else except final format from full function
  having in inner insert interval into is join left like limit mod not offset on or outer prewhere right sample select
  table then union using when where with`.split(/\s+/),
)
const harmless = /^(?:|[-+]?n|\[\]|w\.w)$/
/** Argument groups of table functions that look like calls but are not. */
const groups = new Set(['headers', 'extra_credentials'])
const beforeTables = new Set(['from', 'join', 'function', 'table', 'describe', 'desc', 'as', 'in', ',', '('])
