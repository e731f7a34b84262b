// The editor of KIP: every textarea in a <kip-editor> becomes one, and stays what the form sends.
// Colours, completion, diagnostics and meanings all come from the server, from the code of the
// language server. It lives in a shadow root, so that its styles are adopted sheets.
import {EditorState, Prec} from "@codemirror/state"
import {EditorView, keymap, hoverTooltip, drawSelection} from "@codemirror/view"
import {defaultKeymap, history, historyKeymap} from "@codemirror/commands"
import {autocompletion, completionKeymap, closeBrackets, closeBracketsKeymap} from "@codemirror/autocomplete"
import {StreamLanguage, HighlightStyle, syntaxHighlighting, bracketMatching} from "@codemirror/language"
import {linter, lintGutter} from "@codemirror/lint"
import {tags} from "@lezer/highlight"

async function ask(path, members) {
  const body = new URLSearchParams(members)
  const token = document.body.dataset.token
  const answer = await fetch(path + location.search, {method: "POST", body, headers: {"X-Recollect-Token": token}})
  return answer.ok ? answer.json() : null
}

const language = StreamLanguage.define({
  token(stream) {
    if (stream.match(/^\/\/.*/)) return "comment"
    if (stream.match(/^"(?:[^"\\]|\\.)*"?/)) return "string"
    if (stream.match(/^[?@$:][A-Za-z_][\w]*/)) return "variableName"
    if (stream.match(/^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/)) return "number"
    if (stream.match(/^[A-Z][A-Z_]+\b/)) return "keyword"
    if (stream.match(/^(?:true|false|null)\b/)) return "bool"
    if (stream.match(/^[A-Za-z_]\w*/)) return "propertyName"
    stream.next()
    return null
  },
})

const colours = HighlightStyle.define([
  {tag: tags.keyword, color: "var(--accent)", fontWeight: "600"},
  {tag: tags.string, color: "var(--good)"},
  {tag: tags.variableName, color: "var(--violet)"},
  {tag: tags.number, color: "var(--warn)"},
  {tag: tags.bool, color: "var(--warn)"},
  {tag: tags.comment, color: "var(--soft)", fontStyle: "italic"},
])

const look = EditorView.theme({
  "&": {fontSize: "14px", backgroundColor: "var(--field)", color: "var(--ink)", border: "1px solid var(--line)", borderRadius: "6px"},
  "&.cm-focused": {outline: "2px solid var(--accent)"},
  ".cm-content": {fontFamily: "ui-monospace, monospace", caretColor: "var(--ink)", minHeight: "7em"},
  ".cm-cursor": {borderLeftColor: "var(--ink)"},
  ".cm-gutters": {backgroundColor: "var(--soil)", color: "var(--soft)", borderRight: "1px solid var(--line)"},
  "& > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground": {backgroundColor: "var(--past)"},
  ".cm-tooltip": {backgroundColor: "var(--paper)", color: "var(--ink)", border: "1px solid var(--line)"},
  ".cm-diagnosticAction": {backgroundColor: "var(--accent)", color: "var(--paper)"},
  // The component's own marks are images in its styles, which the headers of the pages forbid.
  ".cm-lintRange-error": {backgroundImage: "none", textDecoration: "underline wavy var(--bad)"},
  ".cm-lintRange-warning, .cm-lintRange-info, .cm-lintRange-hint": {backgroundImage: "none", textDecoration: "underline wavy var(--warn)"},
  ".cm-lint-marker-error, .cm-lint-marker-warning, .cm-lint-marker-info": {content: "normal", borderRadius: "50%", width: "9px", height: "9px", marginTop: "5px", backgroundColor: "var(--bad)"},
  ".cm-lint-marker-warning, .cm-lint-marker-info": {backgroundColor: "var(--warn)"},
  ".cm-tooltip-hover p": {margin: "4px 8px", maxWidth: "46em", whiteSpace: "pre-wrap"},
})

function wrong(path) {
  return linter(async view => {
    const text = view.state.doc.toString()
    if (!text.trim()) return []
    const found = await ask(path, {text})
    return (found?.diagnostics ?? []).map(one => ({
      from: Math.min(one.from, text.length),
      to: Math.min(Math.max(one.to, one.from), text.length),
      severity: one.severity,
      message: one.hint ? one.message + "\n" + one.hint : one.message,
      actions: one.fix ? [{name: "Fix", apply(view) {
        view.dispatch({changes: {from: one.fix.from, to: one.fix.to, insert: one.fix.text}})
      }}] : [],
    }))
  }, {delay: 350})
}

function proposed(path) {
  return async context => {
    const text = context.state.doc.toString()
    const found = await ask(path, {text, at: String(context.pos)})
    if (!found?.options?.length) return null
    return {from: found.from, options: found.options}
  }
}

function meant(path) {
  return hoverTooltip(async (view, at) => {
    const found = await ask(path, {text: view.state.doc.toString(), at: String(at)})
    if (!found?.text) return null
    return {pos: found.from, end: found.to, create() {
      const dom = document.createElement("div")
      for (const said of [found.form, found.text]) {
        dom.append(Object.assign(document.createElement("p"), {textContent: said}))
      }
      return {dom}
    }}
  })
}

class KipEditor extends HTMLElement {
  connectedCallback() {
    const area = this.querySelector("textarea")
    if (!area || this.shadowRoot) return
    const root = this.attachShadow({mode: "open"})
    const holder = root.appendChild(document.createElement("div"))
    const send = keymap.of([{key: "Mod-Enter", run() { area.form.requestSubmit(); return true }}])
    this.view = new EditorView({
      parent: holder,
      root,
      state: EditorState.create({
        doc: area.value,
        extensions: [
          Prec.highest(send), history(), drawSelection(), bracketMatching(), closeBrackets(), language,
          syntaxHighlighting(colours), lintGutter(), EditorView.lineWrapping, look,
          EditorView.contentAttributes.of({"aria-label": area.getAttribute("aria-label") ?? "KIP"}),
          autocompletion({override: [proposed("/ask/completion")]}), wrong("/ask/diagnostics"), meant("/ask/meaning"),
          keymap.of([...closeBracketsKeymap, ...completionKeymap, ...historyKeymap, ...defaultKeymap]),
          EditorView.updateListener.of(update => { if (update.docChanged) area.value = update.state.doc.toString() }),
        ],
      }),
    })
    if (area.hasAttribute("autofocus")) this.view.focus()
  }
}
customElements.define("kip-editor", KipEditor)
