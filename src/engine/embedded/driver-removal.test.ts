import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { callerOf, createEmbeddedRig, type EmbeddedRig, until } from '../../../test/support/embedded-rig.ts'
import { engineSpec, refOf } from '../../../test/support/engine-caller.ts'

const primary = engineSpec({ ...refOf('a', 'w') })
const further = engineSpec({ ...refOf('b', 'w'), role: 'secondary' })

const folder = ({ dataDir }: EmbeddedRig, ...names: string[]) => join(dataDir, 'warehouses', ...names)

/** Adds a file that a writer would have written. */
function addData(rig: EmbeddedRig): string {
  const file = folder(rig, 'w', 'data', 'parts', 'all_1_1_0')
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, 'rows')
  return file
}

test('keep: processes, specs and working directories go, the data stays for whoever comes next', async (t) => {
  const rig = createEmbeddedRig(t)
  const engine = await rig.open()
  const { bring, destroy, goneAfter } = callerOf(engine)
  await bring(primary)
  const data = addData(rig)
  await goneAfter(primary, () => destroy(primary, 'keep'))
  assert.deepEqual(await rig.livePids(), [])
  assert.deepEqual(readdirSync(folder(rig, 'w', 'services')), [])
  assert.deepEqual(readdirSync(folder(rig, 'w', 'replicas')), [])
  assert.ok(existsSync(data))
  await bring(primary)
  assert.ok(existsSync(data))
  await goneAfter(primary, () => destroy(primary, 'keep'))
  // The data can still be purged long after the service is forgotten.
  await destroy(primary, 'purge')
  await until('all is gone', () => !existsSync(folder(rig, 'w')))
})

test('purge waits until the other services of the warehouse are removed, and takes nothing from them', async (t) => {
  const rig = createEmbeddedRig(t)
  const engine = await rig.open()
  const { bring, destroy, observe, goneAfter, apply } = callerOf(engine)
  await bring(primary)
  await bring(further)
  const data = addData(rig)
  await destroy(primary, 'purge')
  await until('it waits', async () => (await observe(primary)).progress.includes('waits until'))
  assert.equal((await observe(primary)).power, 'turning_off')
  assert.ok(existsSync(data))
  assert.equal((await observe(further)).power, 'on')
  // No new service may join a warehouse that is being removed; existing ones may still be stopped.
  const joining = await engine.apply(engineSpec({ ...refOf('c', 'w'), role: 'secondary' }))
  assert.ok('refused' in joining && joining.retryable)
  assert.deepEqual(await apply({ ...further, generation: 2, power: 'off' }), { accepted: 2 })
  await goneAfter(further, () => destroy(further, 'keep'))
  await goneAfter(primary, async () => {})
  assert.deepEqual([existsSync(folder(rig, 'w')), await rig.livePids()], [false, []])
  assert.deepEqual(readdirSync(folder(rig, '.trash')), [])
})

test('purging a secondary service leaves the data, which is not its own', async (t) => {
  const rig = createEmbeddedRig(t)
  const engine = await rig.open()
  const { apply, bring, destroy, goneAfter } = callerOf(engine)
  await apply({ ...primary, power: 'off' })
  await bring(further)
  const data = addData(rig)
  await goneAfter(further, () => destroy(further, 'purge'))
  assert.ok(existsSync(data))
})

test('keep can become purge while it is under way, but not the other way round', async (t) => {
  const rig = createEmbeddedRig(t)
  rig.behave('w', { '*': { runningQueries: 1 } })
  const engine = await rig.open()
  const { bring, destroy, goneAfter } = callerOf(engine)
  await bring(primary)
  await destroy(primary, 'keep')
  await destroy(primary, 'purge')
  await destroy(primary, 'keep')
  rig.behave('w', {})
  await goneAfter(primary, async () => {})
  assert.ok(!existsSync(folder(rig, 'w')))
})

test('what is being removed cannot be applied, and what is removed can be made anew', async (t) => {
  const rig = createEmbeddedRig(t)
  rig.behave('w', { '*': { runningQueries: 1 } })
  const engine = await rig.open()
  const { bring, destroy, apply } = callerOf(engine)
  await bring(primary)
  await destroy(primary, 'purge')
  assert.deepEqual(await engine.apply({ ...primary, generation: 2 }), {
    refused: 'the service is being removed',
    retryable: true,
  })
  rig.behave('w', {})
  assert.deepEqual(await apply({ ...primary, power: 'off', generation: 2 }), { accepted: 2 })
})

test('a removal that was cut off goes on: marked services, and files that were moved away', async (t) => {
  const rig = createEmbeddedRig(t)
  const first = await rig.open()
  await callerOf(first).bring(primary)
  await first.close()
  addData(rig)
  const file = folder(rig, 'w', 'services', 'a.json')
  writeFileSync(file, JSON.stringify({ spec: primary, removing: 'purge' }))
  mkdirSync(folder(rig, '.trash', 'gone.x.1', 'data'), { recursive: true })
  const engine = await rig.open()
  assert.ok((await engine.adopt()).some(({ serviceId }) => serviceId === 'a'))
  await until('all is gone', async () => (await engine.adopt()).length === 0)
  assert.deepEqual(readdirSync(folder(rig, '.trash')), [])
  assert.ok(!existsSync(folder(rig, 'w')))
  // No replica was started again.
  assert.equal(rig.log.count('info', 'a replica starts'), 1)
})

test('a spec that cannot be read runs nothing and says so, until it is applied again', async (t) => {
  for (const text of ['{"spec": {"gener', '{}', 'null', '{"spec":{"serviceId":"other"}}']) {
    const rig = createEmbeddedRig(t)
    mkdirSync(folder(rig, 'w', 'services'), { recursive: true })
    writeFileSync(folder(rig, 'w', 'services', 'a.json'), text)
    writeFileSync(folder(rig, 'w', 'services', 'b.json.tmp'), text)
    const engine = await rig.open()
    const observed = await engine.observe(primary)
    assert.deepEqual([observed.power, observed.acceptedGeneration], ['off', 0])
    assert.match(observed.problem?.message ?? '', /cannot be read/)
    assert.equal((await engine.observe(refOf('b', 'w'))).power, 'absent')
    assert.deepEqual(await engine.apply({ ...primary, power: 'off' }), { accepted: 1 })
    assert.equal((await engine.observe(primary)).problem, null)
    await engine.close()
  }
})

test('names that are no names reach no file', async (t) => {
  const rig = createEmbeddedRig(t)
  const engine = await rig.open()
  for (const name of ['../x', 'a/b', '', '.', '.trash', 'a.b', 'x'.repeat(65)]) {
    for (const ref of [refOf(name, 'w'), refOf('a', name)]) {
      const result = await engine.apply(engineSpec({ ...ref, power: 'off' }))
      assert.ok('refused' in result && !result.retryable, name)
      await engine.destroy(ref, 'purge')
      assert.equal((await engine.observe(ref)).power, 'absent')
    }
  }
  assert.deepEqual(
    readdirSync(folder(rig)).filter((name) => !name.startsWith('.')),
    [],
  )
})

test('what it cannot do it refuses: a second primary', async (t) => {
  const rig = createEmbeddedRig(t)
  const engine = await rig.open()
  await engine.apply({ ...primary, power: 'off' })
  const second = await engine.apply({ ...further, role: 'primary' })
  assert.deepEqual(second, { refused: 'the warehouse has another primary service', retryable: true })
  assert.deepEqual(await engine.adopt(), [refOf('a', 'w')])
})

test('a disk that takes nothing more: the change is refused for now, and what was before goes on', async (t) => {
  const rig = createEmbeddedRig(t)
  const engine = await rig.open({
    step: (name) => {
      if (name === 'rename' && isFull) throw Object.assign(new Error('full'), { code: 'ENOSPC' })
    },
  })
  let isFull = false
  await callerOf(engine).bring(primary)
  isFull = true
  const refused = await engine.apply({ ...primary, generation: 2, power: 'off' })
  assert.deepEqual(refused, { refused: 'what was asked for cannot be saved: ENOSPC', retryable: true })
  await assert.rejects(engine.destroy(primary, 'purge'), { code: 'ENOSPC' })
  const { power, acceptedGeneration } = await engine.observe(primary)
  assert.deepEqual([power, acceptedGeneration], ['on', 1])
  isFull = false
  await callerOf(engine).bring({ ...primary, generation: 2, power: 'off' })
})

test('closing ends what runs and keeps what was applied, even if a replica does not want to', async (t) => {
  const rig = createEmbeddedRig(t)
  rig.behave('w', { 'b-0': { stubborn: true } })
  const engine = await rig.open({ limits: { closeMs: 500 } })
  await callerOf(engine).bring(primary)
  await callerOf(engine).bring(further)
  await engine.close()
  assert.deepEqual(await rig.livePids(), [])
  assert.deepEqual(readdirSync(folder(rig, 'w', 'services')), ['a.json', 'b.json'])
  assert.equal(rig.log.count('error', ''), 0)
})
