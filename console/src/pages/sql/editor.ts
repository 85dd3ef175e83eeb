/**
 * The SQL editor, CodeMirror. It lives in a shadow root: its style sheets are adopted there, so that the policy of the
 * page needs no exception. Only this file and those that it alone imports know CodeMirror: they are a chunk of their own.
 */
import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  closeCompletion,
  completionKeymap,
} from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { bracketMatching, indentOnInput } from '@codemirror/language'
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search'
import { EditorState, Prec, StateEffect, StateField } from '@codemirror/state'
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from '@codemirror/view'
import { completionsOf } from './editor-completions.ts'
import { dialect, highlighting, look } from './editor-look.ts'
import type { Schema } from './schema.ts'

export interface EditorEvents {
  onChange(text: string): void
  onRun(): void
  onCancel(): void
  onExplain(): void
  onFormat(): void
  onName(): void
}

export interface Editor {
  /** Another text, with a history of its own. */
  open(text: string): void
  /** What is selected, or null, and where the caret is. */
  selection(): { from: number; text: string; caret: number }
  markFault(from: number | null): void
  /** Replaces the word at a place. */
  replaceWord(from: number, word: string): void
  insert(text: string): void
  /** Another text for a part of this one, in one step of its history. */
  replace(from: number, to: number, text: string): void
  setSchema(schema: Schema | null): void
  focus(): void
  close(): void
}

const setFault = StateEffect.define<{ from: number; to: number } | null>()
const fault = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, change) {
    for (const effect of change.effects) {
      if (!effect.is(setFault)) continue
      const place = effect.value
      return place
        ? Decoration.set(Decoration.mark({ class: 'cm-fault' }).range(place.from, place.to))
        : Decoration.none
    }
    // A mark speaks about a text that is no longer there.
    return change.docChanged ? Decoration.none : marks
  },
  provide: (field) => EditorView.decorations.from(field),
})

/** The browser would keep the look of the replaced text by a style attribute, which the policy of the page forbids. */
function typeOverSelection(event: InputEvent, view: EditorView): boolean {
  const { from, to } = view.state.selection.main
  const text = event.data
  if (event.inputType !== 'insertText' || text === null || from === to || view.composing) return false
  const insert = () => view.state.update(view.state.replaceSelection(text), { userEvent: 'input.type' })
  const isHandled = view.state.facet(EditorView.inputHandler).some((one) => one(view, from, to, text, insert))
  if (!isHandled) view.dispatch(insert())
  return true
}

export function createEditor(host: HTMLElement, text: string, events: EditorEvents): Editor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' })
  let schema: Schema | null = null
  const command = (run: () => void) => () => {
    run()
    return true
  }
  const extensions = [
    Prec.highest(
      keymap.of([
        {
          key: 'Mod-Enter',
          run: (view) => {
            closeCompletion(view)
            events.onRun()
            return true
          },
        },
        { key: 'Mod-.', run: command(() => events.onCancel()) },
        { key: 'Alt-Enter', run: command(() => events.onExplain()) },
        { key: 'Shift-Mod-f', run: command(() => events.onFormat()) },
        { key: 'Mod-s', run: command(() => events.onName()) },
      ]),
    ),
    ...[lineNumbers(), highlightActiveLineGutter(), history(), drawSelection(), indentOnInput()],
    ...[bracketMatching(), closeBrackets(), highlightSelectionMatches(), search({ top: true }), fault],
    EditorState.allowMultipleSelections.of(true),
    autocompletion({
      override: [(context) => completionsOf(context, schema)],
      icons: false,
      filterStrict: true,
    }),
    keymap.of([
      ...[...closeBracketsKeymap, ...completionKeymap, ...searchKeymap, ...historyKeymap, ...defaultKeymap],
      indentWithTab,
    ]),
    ...[dialect.extension, highlighting, look, EditorView.lineWrapping],
    EditorView.domEventHandlers({ beforeinput: typeOverSelection }),
    EditorView.contentAttributes.of({ 'aria-label': 'Query', spellcheck: 'false' }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) events.onChange(update.state.doc.toString())
    }),
  ]
  const stateOf = (doc: string) => EditorState.create({ doc, extensions })
  const view = new EditorView({ state: stateOf(text), root, parent: root })
  const wordAt = (from: number) => {
    const place = Math.min(from, view.state.doc.length)
    const [word = ''] = /^[\w.]+|^./s.exec(view.state.sliceDoc(place, place + 200)) ?? []
    return { from: place, to: place + word.length }
  }
  return {
    open: (next) => view.setState(stateOf(next)),
    selection() {
      const { from, to, head } = view.state.selection.main
      return { from, text: view.state.sliceDoc(from, to), caret: head }
    },
    markFault(from) {
      const place = from === null ? null : wordAt(from)
      // At the end of the text there is no letter to mark: the one before it is.
      if (place && place.from === place.to) place.from = Math.max(0, place.from - 1)
      const isSomewhere = place && place.from < place.to
      view.dispatch({ effects: setFault.of(isSomewhere ? place : null) })
    },
    replaceWord(from, word) {
      view.dispatch({ changes: { ...wordAt(from), insert: word }, selection: { anchor: from + word.length } })
      view.focus()
    },
    insert(part) {
      view.dispatch(view.state.replaceSelection(part))
      view.focus()
    },
    replace(from, to, part) {
      view.dispatch({ changes: { from, to, insert: part }, selection: { anchor: from + part.length } })
      view.focus()
    },
    setSchema(next) {
      schema = next
    },
    focus: () => view.focus(),
    close: () => view.destroy(),
  }
}
