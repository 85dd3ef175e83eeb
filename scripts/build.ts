// Builds the console ahead of the first start, for an installation that cannot be written to later.
import { openSite } from '../src/console/open-site.ts'

const site = await openSite({
  onBuild: () => console.log('building the console…'),
  signal: AbortSignal.timeout(10 * 60_000),
})
console.log(`the console is built: ${site.size} files`)
