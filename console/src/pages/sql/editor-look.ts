import { SQLDialect } from '@codemirror/lang-sql'
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { keywords } from './keywords.ts'

const types = `int8 int16 int32 int64 int128 int256 uint8 uint16 uint32 uint64 uint128 uint256 float32 float64 decimal
  string fixedstring date date32 datetime datetime64 uuid ipv4 ipv6 bool enum8 enum16 array map tuple nullable
  lowcardinality nested json variant dynamic aggregatefunction simpleaggregatefunction`

export const dialect = SQLDialect.define({
  keywords: keywords.join(' '),
  types,
  ...{
    backslashEscapes: true,
    doubleDollarQuotedStrings: true,
    identifierQuotes: '`"',
    operatorChars: '*+-%<>!=&|/~^?:',
  },
})

export const highlighting = syntaxHighlighting(
  HighlightStyle.define([
    { tag: [tags.keyword, tags.bool, tags.null], color: 'var(--code-keyword)' },
    { tag: [tags.string, tags.special(tags.string)], color: 'var(--code-string)' },
    { tag: [tags.number], color: 'var(--code-number)' },
    { tag: [tags.typeName, tags.standard(tags.name)], color: 'var(--code-function)' },
    { tag: [tags.comment], color: 'var(--code-comment)' },
  ]),
)

export const look = EditorView.theme({
  '&': {
    ...{ height: '100%', background: 'var(--raised)', color: 'var(--text)' },
    ...{ fontSize: 'var(--text-sm)' },
  },
  '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.65', padding: 'var(--s-4) 0' },
  '.cm-content': { caretColor: 'var(--focus)' },
  '.cm-cursor': { borderLeft: '2px solid var(--focus)' },
  '.cm-gutters': { background: 'none', border: '0', color: 'var(--text-3)', paddingLeft: 'var(--s-4)' },
  '.cm-activeLineGutter': { background: 'none', color: 'var(--text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    background: 'var(--selected)',
  },
  '.cm-selectionMatch, &.cm-focused .cm-matchingBracket': { background: 'var(--hover)', color: 'inherit' },
  '.cm-fault': {
    ...{
      textDecoration: 'underline wavy var(--bad)',
      textUnderlineOffset: '3px',
      background: 'var(--bad-tint)',
    },
  },
  '.cm-tooltip': {
    ...{ border: '1px solid var(--line-strong)', borderRadius: 'var(--radius)', background: 'var(--raised)' },
    ...{ boxShadow: 'var(--shadow-2)', padding: 'var(--s-2)' },
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', maxHeight: '14rem' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': {
    ...{ display: 'flex', justifyContent: 'space-between', gap: 'var(--s-6)' },
    ...{ padding: '1px var(--s-4)', borderRadius: 'var(--radius-sm)', color: 'var(--text)' },
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    ...{ background: 'var(--selected)', color: 'var(--text)' },
  },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '650' },
  '.cm-completionDetail': { color: 'var(--text-2)', fontStyle: 'normal', fontFamily: 'var(--font)' },
  '.cm-panels': { background: 'var(--sunken)', color: 'var(--text)', border: '0' },
})
