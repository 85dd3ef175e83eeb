/** The colours are those of the console (console/src/styles/tokens.css); code has a dark background in both schemes. */
export const style = `
:root {
  color-scheme: light dark;
  --ground: light-dark(oklch(0.984 0.005 91), oklch(0.197 0.007 84)); --side: light-dark(oklch(0.957 0.009 91), oklch(0.168 0.006 84));
  --text: light-dark(oklch(0.245 0.016 74), oklch(0.947 0.012 88)); --soft: light-dark(oklch(0.42 0.017 78), oklch(0.778 0.014 88));
  --line: light-dark(oklch(0.905 0.01 89), oklch(0.284 0.009 84)); --tint: light-dark(oklch(0.945 0.011 91), oklch(0.264 0.009 84));
  --accent: light-dark(oklch(0.465 0.095 76), oklch(0.846 0.115 90)); --accent-ground: light-dark(oklch(0.94 0.045 92), oklch(0.282 0.03 86));
  --code-ground: oklch(0.178 0.006 84); --code-head: oklch(0.226 0.008 84); --code-text: oklch(0.947 0.012 88);
  --code-soft: oklch(0.778 0.014 88); --code-line: oklch(0.284 0.009 84);
  --get: light-dark(oklch(0.445 0.085 236), oklch(0.81 0.083 230)); --post: light-dark(oklch(0.455 0.1 148), oklch(0.81 0.12 147));
  --put: light-dark(oklch(0.475 0.115 50), oklch(0.8 0.12 58)); --patch: light-dark(oklch(0.455 0.105 298), oklch(0.8 0.085 299));
  --delete: light-dark(oklch(0.475 0.16 26), oklch(0.765 0.13 25));
  --mono: "Spline Sans Mono Variable", ui-monospace, SFMono-Regular, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace;
}
* { box-sizing: border-box; }
html { scroll-behavior: smooth; scroll-padding-top: 1.5rem; -webkit-text-size-adjust: 100%; }
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
body { margin: 0; background: var(--ground); color: var(--text);
  font: 15px/1.6 "Hanken Grotesk Variable", system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", sans-serif; }
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
.tree h2 { margin: 1.15rem .5rem .35rem; font-size: .72rem; }
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
h5 { margin: 1.6rem 0 .35rem; font-size: .74rem; color: var(--soft); }
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
.k { color: oklch(0.8 0.09 299); } .s { color: oklch(0.82 0.1 148); } .n, .w { color: oklch(0.81 0.11 62); } .v { color: oklch(0.8 0.09 238); } .c { color: oklch(0.846 0.115 90); } .m { color: var(--code-soft); }
.more summary { padding: .1rem .2rem; }
.more .code { margin-top: .4rem; }
.panel > details { flex: none; }

/* Errors */
.wide { margin-top: 1.5rem; }
.wide h4 { margin: 1.75rem 0 .6rem; }
.catalogue { border-collapse: collapse; width: 100%; font-size: .9rem; }
.catalogue th, .catalogue td { text-align: left; vertical-align: top; padding: .65rem 1.25rem .65rem .75rem; border-top: 1px solid var(--line); }
.catalogue thead th { font-size: .74rem; color: var(--soft); border-top: 0; }
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
