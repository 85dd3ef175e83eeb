#!/usr/bin/env node
// The `granary` command: the same launcher, pointed at the CLI.
import { launch } from './launch.js'

await launch(['src/cli/main.ts', ...process.argv.slice(2)])
