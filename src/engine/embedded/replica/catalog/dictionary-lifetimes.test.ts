import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from '../../../../../test/support/manual-clock.ts'
import { createRecordingLog } from '../../../../../test/support/recording-log.ts'
import { createDictionaryLifetimes } from './dictionary-lifetimes.ts'

test('reloads what is due, whatever fails, until it is stopped', async () => {
  const clock = createManualClock()
  const reloaded: string[] = []
  let due = ''
  let isAnyThere = false
  let looks = 0
  const lifetimes = createDictionaryLifetimes({
    clock,
    log: createRecordingLog(),
    run: async (sql) => {
      if (sql.startsWith('SELECT 1 ')) {
        looks += 1
        return isAnyThere ? '1\n' : ''
      }
      if (sql.startsWith('SELECT')) {
        if (due === 'broken') throw new Error('Code: 1')
        return due
      }
      reloaded.push(sql)
      if (sql.includes('bad')) throw new Error('Code: 60')
      return ''
    },
  })
  lifetimes.start()
  await clock.advance(9_000)
  assert.equal(looks, 0)
  isAnyThere = true
  await clock.advance(2_000)
  assert.ok(looks > 0)
  assert.deepEqual(reloaded, [])
  due = '{"database":"d","name":"bad"}\n{"database":"o`d","name":"x"}\n'
  await clock.advance(1_000)
  assert.deepEqual(reloaded, ['SYSTEM RELOAD DICTIONARY `d`.`bad`', 'SYSTEM RELOAD DICTIONARY `o\\`d`.`x`'])
  due = 'broken'
  await clock.advance(1_000)
  due = '{"database":"d","name":"y"}\n'
  await clock.advance(1_000)
  assert.equal(reloaded.length, 3)
  await lifetimes.stop()
  await clock.advance(5_000)
  assert.equal(reloaded.length, 3)
  assert.equal(clock.sleepers(), 0)
})
