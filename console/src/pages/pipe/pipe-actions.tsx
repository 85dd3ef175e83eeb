import { call } from '../../api/call.ts'
import type { Result } from '../../api/operations.ts'
import { refresh } from '../../api/resource.ts'
import { may } from '../../api/session.ts'
import { Button } from '../../kit/button.tsx'
import { confirm } from '../../kit/confirm.tsx'
import { Menu } from '../../kit/menu.tsx'
import { run } from '../../kit/toast.tsx'
import { navigate } from '../../lib/address.ts'
import { sourceKindOf } from '../../lib/source-kinds.ts'
import './pipe-page.css'

type Pipe = Result<'pipes.get'>

/** Start or stop, and in the menu what is rarer. */
export function PipeActions({ pipe }: { pipe: Pipe }) {
  const { id: pipeId, serviceId, name, state, commandReasons: reasons } = pipe
  if (!may('pipes:manage', serviceId)) return null
  // A failed pipe can be stopped as well, but one rather starts it; one that cannot be stopped rests.
  const isResting = state === 'Failed' || reasons.stop !== undefined
  const send = (command: 'start' | 'stop' | 'resync') =>
    run(
      call('pipes.updateState', { params: { serviceId, pipeId }, body: { command } }).then(() =>
        refresh('pipes.get', 'organizations.pipes'),
      ),
      `${name} is as it was.`,
    )
  const resync = async () => {
    const isMeant = await confirm({
      title: `Load the tables of ${name} anew?`,
      text: 'They are loaded beside the present ones and then take their place.',
      verb: 'Resync',
      typedName: name,
    })
    if (isMeant) await send('resync')
  }
  const remove = async () => {
    const isMeant = await confirm({
      title: `Delete ${name}?`,
      text: 'It ends, and its place at the source is given up. Tables and their rows stay.',
      verb: `Delete ${name}`,
      isDangerous: true,
      typedName: name,
    })
    if (!isMeant) return
    const isGone = await run(
      call('pipes.delete', { params: { serviceId, pipeId } }),
      `${name} was not deleted.`,
    )
    if (isGone) void navigate('/pipes')
  }
  return (
    <>
      {isResting ? (
        <Button tone="primary" reason={reasons.start ?? null} onPress={() => send('start')}>
          Start
        </Button>
      ) : (
        <Button onPress={() => send('stop')}>Stop</Button>
      )}
      <Menu
        label={`More of ${name}`}
        mark="page-menu"
        entries={[
          sourceKindOf(pipe.source) === 'postgres' && {
            name: 'Resync',
            icon: 'resync',
            reason: reasons.resync ?? null,
            onPress: resync,
          },
          { name: 'Delete', icon: 'trash', isDangerous: true, onPress: remove },
        ]}
      />
    </>
  )
}
