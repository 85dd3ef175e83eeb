import { fileURLToPath } from 'node:url'
import { defineConfig, type Plugin } from 'vite'

/** Builds the console. The server runs this at its first start (docs/decisions/0016-console-build.md). */
// biome-ignore lint/style/noDefaultExport: Vite takes its configuration from there
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  plugins: [orderLayers(), preloadFont('hanken-grotesk')],
  build: {
    // The first versions with light-dark(), which the colours need.
    target: ['chrome123', 'firefox128', 'safari17.5'],
    emptyOutDir: true,
    // Every file has a name of its own, so that the policy allows no data: but pictures.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    license: { fileName: 'licenses.md' },
  },
})

/** The text is drawn in this face at once: the browser fetches it beside the style sheet, not after it. */
function preloadFont(name: string): Plugin {
  return {
    name: 'granary:preload-font',
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle }) {
        const file = Object.keys(bundle ?? {}).find((path) => path.includes(name) && path.endsWith('.woff2'))
        if (file === undefined) return []
        const attrs = { rel: 'preload', as: 'font', type: 'font/woff2', href: `/${file}`, crossorigin: true }
        return [{ tag: 'link', attrs, injectTo: 'head' }]
      },
    },
  }
}

/** Chunks of style sheets arrive in any order: each one says in which order the layers count. */
function orderLayers(): Plugin {
  return {
    name: 'granary:order-layers',
    enforce: 'pre',
    transform: (code, id) => (id.endsWith('.css') ? `@layer base, kit, frame;\n${code}` : null),
  }
}
