import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kafkaBody, planned, postgresBody } from '../../../test/support/pipe-bodies.ts'
import { commandsOfPipe } from './commands.ts'
import { planCreate } from './create.ts'
import { pipeStates } from './limits.ts'
import { applyCommand } from './transitions.ts'
import type { PipeState } from './types.ts'

const kafka = planned(planCreate(kafkaBody())).spec
const postgres = planned(planCreate(postgresBody())).spec
const at = (state: PipeState) => ({ state, reason: '', since: 0, observedGeneration: 1 })

test('a command is shown if and only if it would change something', () => {
  for (const spec of [kafka, postgres])
    for (const state of pipeStates) {
      const { commands, commandReasons } = commandsOfPipe({ spec, status: at(state) }, 'running')
      for (const command of ['start', 'stop', 'resync'] as const) {
        const result = applyCommand(spec, at(state), command)
        const isEffective = result.outcome === 'accepted' && result.changed
        assert.equal(commands.includes(command), isEffective, `${command} in ${state}`)
        assert.equal(commandReasons[command] === undefined, isEffective, `${command} in ${state}`)
      }
      assert.ok(commands.includes('delete'))
    }
})

test('without its service a pipe can only be stopped and deleted', () => {
  const { commands, commandReasons } = commandsOfPipe({ spec: postgres, status: at('Failed') }, 'stopped')
  assert.deepEqual(commands, ['stop', 'delete'])
  assert.deepEqual(commandReasons, { start: 'Its service is stopped.', resync: 'Its service is stopped.' })
})

test('a reason says what to do instead', () => {
  const { commandReasons } = commandsOfPipe({ spec: kafka, status: at('Completed') }, 'running')
  assert.match(commandReasons.start ?? '', /make a new pipe/)
  assert.match(commandReasons.resync ?? '', /postgres/)
})
