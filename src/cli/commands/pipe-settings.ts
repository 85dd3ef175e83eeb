import type { BodyOf } from '../../api/operations.ts'
import type { GroupDefinition } from '../command.ts'
import { usageError } from '../failure.ts'
import { parseJson, readJsonObject } from '../input.ts'
import { commandOf } from '../operation-command.ts'
import { fileOption, someChange, splitOnce } from '../options.ts'
import { settingsBlock } from '../show/pipe.ts'

const get = commandOf('pipes.getSettings', {
  name: 'get',
  summary: 'Show the settings of a pipe',
  examples: ['granary pipes settings get analytics clicks'],
  show: settingsBlock,
})

const set = commandOf('pipes.updateSettings', {
  name: 'set',
  summary: 'Change settings of a pipe',
  details: 'Settings that are not named keep their value; null sets the default.',
  moreOperands: [['[settings...]', 'name=value: a number, true, false or null']],
  options: [fileOption('settings, as a JSON object')],
  examples: [
    'granary pipes settings set analytics clicks streaming_max_insert_wait_ms=1000',
    'granary pipes settings set analytics clicks db_max_threads=null',
  ],
  async body({ file }: { file?: string }, { io }, operands: object) {
    const { settings } = operands as { settings: string[] }
    const fromFile = file === undefined ? {} : await readJsonObject(io, file)
    const all = { ...fromFile, ...parseSettings(settings) }
    return someChange(all, 'say what to set: name=value, or --file') as BodyOf<'pipes.updateSettings'>
  },
  show: settingsBlock,
})

function parseSettings(texts: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    texts.map((text) => {
      const [name, value] = splitOnce(text)
      if (name === '' || value === undefined)
        throw usageError(`write a setting as name=value, not as ${text}`)
      return [name, parseJson(new TextEncoder().encode(value), `the value of ${name}`)]
    }),
  )
}

export const pipeSettings: GroupDefinition = {
  name: 'settings',
  summary: 'How a pipe works in detail',
  commands: [get, set],
}
