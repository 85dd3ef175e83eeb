import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { mergeTree } from '../../../../../test/support/fake-writer.ts'
import { createRig } from '../../../../../test/support/follower-rig.ts'

type Place = [database: string, table: string]

/** The writer's tables, each with its UUID and its columns. */
type Model = Map<string, { place: Place; uuid: string; columns: string[] }>

const place = fc.tuple(fc.constantFrom('d', 'e'), fc.constantFrom('t1', 't2', 't3'))

const step = fc.oneof(
  fc.record({ do: fc.constant('create' as const), at: place }),
  fc.record({ do: fc.constant('alter' as const), at: place }),
  fc.record({ do: fc.constant('move' as const), at: place, to: place }),
  fc.record({ do: fc.constant('drop' as const), at: place }),
  fc.record({ do: fc.constant('sync' as const), failing: fc.integer({ min: 0, max: 7 }) }),
)

test('whatever the writer does and however statements fail, the reader ends with the same', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
      const { writer, reader, follower, sync } = createRig(t)
      const model: Model = new Map()
      writer.database('d')
      writer.database('e')
      let columns = 0
      for (const each of steps) {
        if (each.do === 'sync') {
          let statements = 0
          // Every so many statements one fails; 0 = none does.
          reader.fail = () =>
            each.failing > 0 && ++statements % each.failing === 0 ? 'Code: 999. DB::Exception: no' : null
          await sync()
          continue
        }
        const [database, table] = each.at
        const found = model.get(each.at.join('.'))
        if (each.do === 'create' && !found) {
          const uuid = writer.table(database, table)
          model.set(each.at.join('.'), { place: each.at, uuid, columns: ['k'] })
        }
        if (each.do === 'alter' && found) {
          columns += 1
          found.columns = ['k', `c${columns}`]
          writer.table(database, table, mergeTree(...found.columns), found.uuid)
        }
        if (each.do === 'drop' && found) {
          writer.drop(database, table)
          model.delete(each.at.join('.'))
        }
        if (each.do === 'move' && found && each.at.join() !== each.to.join())
          move(model, writer, each.at, each.to)
      }
      reader.fail = () => null
      await sync()
      await sync()
      const expected = [...model.values()].map((each) => ({
        name: `\`${each.place[0]}\`.\`${each.place[1]}\``,
        uuid: each.uuid,
        columns: each.columns,
      }))
      const seen = [...reader.tables].map(([name, sql]) => ({
        name,
        uuid: /store\/\w{3}\/([^/]*)/.exec(sql)?.[1],
        columns: [...sql.matchAll(/`(\w+)` UInt64/g)].map((match) => match[1]),
      }))
      const byName = (a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name)
      assert.deepEqual(seen.sort(byName), expected.sort(byName))
      assert.deepEqual([...reader.databases].sort(), ['`d`', '`default`', '`e`'])
      assert.equal(follower.error(), '')
      writer.remove()
    }),
    { numRuns: 150 },
  )
})

function move(model: Model, writer: ReturnType<typeof createRig>['writer'], from: Place, to: Place): void {
  const [mover, other] = [model.get(from.join('.')), model.get(to.join('.'))]
  if (!mover) return
  if (other) {
    writer.exchange(from, to)
    other.place = from
    model.set(from.join('.'), other)
  } else {
    writer.rename(from, to)
    model.delete(from.join('.'))
  }
  mover.place = to
  model.set(to.join('.'), mover)
}
