/** Both colour schemes share one set of names; code has a dark background in both. */
export const style = `
:root {
  color-scheme: light dark;
  --ground: #fff; --side: #fbfaf8; --text: #1f1b16; --soft: #6b6459; --line: #e9e5de; --tint: #f6f3ee;
  --accent: #b45309; --accent-ground: #fdf3e3;
  --code-ground: #1d1a17; --code-head: #2a2622; --code-text: #ece7df; --code-soft: #a39b8f; --code-line: #2a2622;
  --get: #0369a1; --post: #15803d; --put: #a16207; --patch: #7e22ce; --delete: #b91c1c;
  --mono: ui-monospace, SFMono-Regular, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #141210; --side: #191714; --text: #ebe6de; --soft: #a29a8d; --line: #2b2723; --tint: #201d19;
    --accent: #f0a63a; --accent-ground: #2c2113;
    --code-ground: #1b1815; --code-head: #24201c; --code-line: #2f2a25;
    --get: #5cb8ee; --post: #5fcb83; --put: #e0b243; --patch: #c38bf5; --delete: #f58080;
  }
}
* { box-sizing: border-box; }
html { scroll-behavior: smooth; scroll-padding-top: 1.5rem; -webkit-text-size-adjust: 100%; }
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
body { margin: 0; background: var(--ground); color: var(--text);
  font: 15px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", sans-serif; }
a { color: var(--accent); text-decoration: none; }
a:hover { text-decoration: underline; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
code, pre, kbd { font-family: var(--mono); font-size: .875em; }
p { margin: .5rem 0; }
.skip { position: absolute; left: -100vw; top: .5rem; z-index: 9; background: var(--ground); padding: .5rem 1rem; }
.skip:focus { left: .5rem; }

/* Sidebar */
nav { all: unset; box-sizing: border-box; display: flex; flex-direction: column; position: fixed; inset: 0 auto 0 0;
  width: 18rem; background: var(--side); border-right: 1px solid var(--line); color: var(--text); }
.brand { display: flex; align-items: center; gap: .55rem; padding: 1.15rem 1.25rem .75rem; font-size: 1.1rem; letter-spacing: -.01em; }
.version { margin-left: auto; font: .72rem var(--mono); color: var(--soft); border: 1px solid var(--line); border-radius: 99px; padding: .1rem .5rem; }
.search { position: relative; padding: 0 1rem .85rem; border-bottom: 1px solid var(--line); }
.search input { width: 100%; font: inherit; font-size: .875rem; color: inherit; background: var(--ground); border: 1px solid var(--line); border-radius: 8px; padding: .42rem 2rem .42rem .75rem; }
.search input::placeholder { color: var(--soft); opacity: 1; }
.search kbd { position: absolute; right: 1.6rem; top: .42rem; font-size: .72rem; color: var(--soft); border: 1px solid var(--line); border-radius: 4px; padding: 0 .35rem; line-height: 1.5; }
.search input:focus + kbd { display: none; }
.nothing { padding: 0 1.25rem; color: var(--soft); font-size: .875rem; }
.tree { overflow-y: auto; overscroll-behavior: contain; padding: .5rem .75rem 3rem; scrollbar-width: thin; flex: 1; }
.tree h2 { margin: 1.15rem .5rem .35rem; font-size: .72rem; text-transform: uppercase; letter-spacing: .07em; }
.tree h2 a { color: var(--soft); }
.tree h3 { margin: .7rem .5rem .1rem; font-size: .84rem; font-weight: 650; }
.tree h3 a { color: var(--text); }
.tree ul { list-style: none; margin: 0; padding: 0; }
.tree li a { display: flex; gap: .5rem; align-items: baseline; justify-content: space-between; padding: .22rem .5rem; border-radius: 6px; color: var(--soft); font-size: .84rem; line-height: 1.4; }
.tree li a:hover { background: var(--tint); color: var(--text); text-decoration: none; }
.tree a[aria-current] { background: var(--accent-ground); color: var(--accent); }
.tree .method { background: none; border: 0; padding: 0; font-size: .62rem; }
[hidden] { display: none !important; }

/* Page */
.bar { display: none; }
main { margin-left: 18rem; padding: 0 clamp(1.25rem, 3.5vw, 3.5rem) 6rem; }
main > * { max-width: 78rem; margin-inline: auto; }
.hero { padding: 3.25rem 0 .5rem; }
.hero h1 { margin: 0; font-size: 2.4rem; line-height: 1.15; letter-spacing: -.03em; }
.hero p { max-width: 44rem; font-size: 1.08rem; color: var(--soft); margin: .75rem 0 0; }
h2.api { margin-top: 3.5rem; padding-bottom: .6rem; border-bottom: 2px solid var(--accent); font-size: 1.55rem; letter-spacing: -.02em; }
h2.api code { font-size: .95rem; font-weight: 400; color: var(--soft); margin-left: .35rem; }
h2.api#guide { margin-top: 2rem; }
h3 { font-size: 1.3rem; margin: 0 0 .35rem; letter-spacing: -.015em; }
h4 { font-size: 1.08rem; margin: 0 0 .35rem; letter-spacing: -.01em; }
h5 { margin: 1.6rem 0 .35rem; font-size: .74rem; text-transform: uppercase; letter-spacing: .07em; color: var(--soft); }
main h3 > a, main h4 > a { color: inherit; }
main h3 > a:hover::after, main h4 > a:hover::after { content: " #"; color: var(--soft); }
.group { padding-top: 2.75rem; }
.lead { color: var(--soft); font-size: 1.02rem; max-width: 44rem; }
.chapter, .operation { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 29rem); gap: 0 3rem; padding: 2rem 0; border-bottom: 1px solid var(--line); }
.chapter > h3, .wide { grid-column: 1 / -1; }
.operation:last-child { border-bottom: 0; }
.words { min-width: 0; }
.panel { min-width: 0; position: sticky; top: 1.5rem; align-self: start; max-height: calc(100vh - 3rem); display: flex; flex-direction: column; gap: .75rem; overflow-y: auto; scrollbar-width: thin; }
.chapter .panel { padding-top: .4rem; position: static; max-height: none; }
.words > p > code, .words li code, td code, .lead code { background: var(--tint); border-radius: 4px; padding: .1em .35em; overflow-wrap: anywhere; }

/* Operations */
.route { display: flex; gap: .6rem; align-items: baseline; margin: .4rem 0 .75rem; font-size: .92rem; }
.words > p.route > code { background: none; padding: 0; }
.method { font: 650 .68rem/1.5 var(--mono); letter-spacing: .03em; border: 1px solid; border-radius: 5px; padding: .1rem .4rem; flex: none; }
.method.get { color: var(--get); } .method.post { color: var(--post); } .method.put { color: var(--put); }
.method.patch { color: var(--patch); } .method.delete { color: var(--delete); }
.needs { font-size: .875rem; color: var(--soft); }
.fields { list-style: none; margin: 0; padding: 0; }
.fields > li { padding: .6rem 0; border-top: 1px solid var(--line); }
.fields > li p { margin: .1rem 0 0; font-size: .9rem; }
.field { line-height: 1.5; }
.words li code.name { background: none; padding: 0; font-weight: 650; font-size: .86rem; }
.type { color: var(--soft); font-size: .82rem; margin-left: .2rem; }
.format { opacity: .85; }
.format::before { content: "· "; }
.mark { font-size: .7rem; font-weight: 600; color: var(--soft); border: 1px solid var(--line); border-radius: 99px; padding: .05rem .45rem; vertical-align: .08em; white-space: nowrap; letter-spacing: 0; }
.mark.required { color: var(--accent); border-color: currentColor; }
.mark.deprecated { color: var(--delete); border-color: currentColor; }
.mark.retry { color: var(--post); border-color: currentColor; }
.fields .bounds, .fields .values { color: var(--soft); font-size: .82rem; }
.values code { display: inline-block; margin: .12rem .1rem .12rem 0; font-size: .78rem; }
details > summary { cursor: pointer; color: var(--accent); font-size: .84rem; width: fit-content; }
.fields details { margin-top: .4rem; }
.fields details > .fields { margin: .5rem 0 0; padding: 0 0 0 1rem; border-left: 2px solid var(--line); }
.fields details > .fields > li:first-child { border-top: 0; }
.codes { list-style: none; display: flex; flex-wrap: wrap; gap: .35rem; padding: 0; margin: .5rem 0 0; }
.codes a { display: inline-block; font: .72rem/1.5 var(--mono); color: var(--soft); border: 1px solid var(--line); border-radius: 6px; padding: .12rem .5rem; }
.codes a:hover { color: var(--accent); border-color: var(--accent); text-decoration: none; }
.codes b { color: var(--text); }

/* Code */
.code { margin: 0; background: var(--code-ground); color: var(--code-text); border-radius: 10px; overflow: hidden; border: 1px solid var(--code-line); flex: none; }
.code figcaption { display: flex; justify-content: space-between; align-items: center; gap: 1rem; min-height: 2.1rem; padding: .2rem .5rem .2rem .9rem; background: var(--code-head); color: var(--code-soft); font-size: .78rem; }
.code pre { margin: 0; padding: .8rem .9rem; overflow: auto; max-height: 25rem; white-space: pre-wrap; overflow-wrap: anywhere; font-size: .8rem; line-height: 1.6; scrollbar-width: thin; scrollbar-color: #4a443c transparent; tab-size: 2; }
.code pre code { font-size: 1em; }
.resource .code pre { max-height: calc(100vh - 8rem); }
.code pre:focus-visible { outline-offset: -3px; }
.code button { font: inherit; color: var(--code-text); background: none; border: 1px solid #4a443c; border-radius: 5px; padding: .05rem .5rem; cursor: pointer; }
.code button:hover { background: #3a352f; }
.k { color: #e5c07b; } .s { color: #a8cc8c; } .n, .w { color: #e8975f; } .v { color: #79c0ff; } .c { color: #f0a63a; } .m { color: var(--code-soft); }
.more summary { padding: .1rem .2rem; }
.more .code { margin-top: .4rem; }
.panel > details { flex: none; }

/* Errors */
.wide { margin-top: 1.5rem; }
.wide h4 { margin: 1.75rem 0 .6rem; }
.catalogue { border-collapse: collapse; width: 100%; font-size: .9rem; }
.catalogue th, .catalogue td { text-align: left; vertical-align: top; padding: .65rem 1.25rem .65rem .75rem; border-top: 1px solid var(--line); }
.catalogue thead th { font-size: .74rem; text-transform: uppercase; letter-spacing: .07em; color: var(--soft); border-top: 0; }
.catalogue tbody th { font-weight: 400; width: 20rem; }
.catalogue tr:target { background: var(--accent-ground); }
.remedy { color: var(--soft); }
.extras { display: block; color: var(--soft); font-size: .84rem; margin-top: .2rem; }

@media (max-width: 72rem) {
  .chapter, .operation { grid-template-columns: minmax(0, 1fr); }
  .panel { position: static; max-height: none; margin-top: 1.25rem; }
}
@media (max-width: 56rem) {
  html { scroll-padding-top: 4.25rem; }
  .bar { display: flex; align-items: center; gap: .55rem; position: sticky; top: 0; z-index: 5; padding: .6rem 1.25rem; background: var(--side); border-bottom: 1px solid var(--line); font-size: 1.05rem; }
  .bar button { margin-left: auto; font: inherit; font-size: .875rem; color: inherit; background: var(--ground); border: 1px solid var(--line); border-radius: 8px; padding: .25rem .8rem; }
  nav { width: min(20rem, 88vw); box-shadow: 0 0 3rem rgb(0 0 0 / .3); height: 100%; }
  nav:not(:popover-open) { display: none; }
  nav::backdrop { background: rgb(0 0 0 / .35); }
  main { margin-left: 0; }
  .hero { padding-top: 2rem; }
  .hero h1 { font-size: 2rem; }
  .catalogue, .catalogue tbody, .catalogue tr, .catalogue th, .catalogue td { display: block; width: auto; }
  .catalogue thead { display: none; }
  .catalogue tbody tr { border-top: 1px solid var(--line); padding: .5rem 0; }
  .catalogue th, .catalogue td { border: 0; padding: .15rem 0; }
}
@media print { nav, .bar { display: none; } main { margin: 0; } .panel { position: static; max-height: none; } }
`
