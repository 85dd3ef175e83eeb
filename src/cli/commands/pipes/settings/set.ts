import type { BodyOf } from '../../../../api/operations.ts'
import type { CommandDefinition } from '../../../command.ts'
import { usageError } from '../../../failure.ts'
import { parseJson, readJsonObject } from '../../../input.ts'
import { pipeParams } from '../../../lookup.ts'
import { fileOption, splitOnce } from '../../../options.ts'
import { settingsBlock } from '../../../show/pipe.ts'
import { serviceOperand } from '../../services/operand.ts'
import { pipeOperand } from '../operand.ts'

interface Operands {
  service: string
  pipe: string
  settings: string[]
}

export const pipesSettingsSet: CommandDefinition = {
  name: 'set',
  summary: 'Change settings of a pipe',
  details: 'Settings that are not named keep their value; null sets the default.',
  operands: [serviceOperand, pipeOperand, ['[settings...]', 'name=value: a number, true, false or null']],
  options: [fileOption('settings, as a JSON object')],
  examples: [
    'granary pipes settings set analytics clicks streaming_max_insert_wait_ms=1000',
    'granary pipes settings set analytics clicks db_max_threads=null',
  ],
  async run(session, operands: Operands, { file }: { file?: string }) {
    const { client, output, io, signal } = session
    const fromFile = file === undefined ? {} : await readJsonObject(io, file)
    const body = { ...fromFile, ...parseSettings(operands.settings) } as BodyOf<'pipes.updateSettings'>
    if (Object.keys(body).length === 0) throw usageError('say what to set: name=value, or --file')
    const params = await pipeParams(session, operands)
    const settings = await client.call('pipes.updateSettings', { params, body, signal })
    output.result(settings, (form) => settingsBlock(form, settings))
  },
}

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
