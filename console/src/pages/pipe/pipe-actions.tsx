import { call } from '../../api/call.ts'
import type { Result } from '../../api/operations.ts'
import { refresh } from '../../api/resource.ts'
import { may } from '../../api/session.ts'
import { Button } from '../../kit/button.tsx'
import { confirm } from '../../kit/confirm.tsx'
import { Menu } from '../../kit/menu.tsx'
import { isPipeBusy, pipeLooks } from '../../kit/states.ts'
import { run } from '../../kit/toast.tsx'
import { navigate } from '../../lib/address.ts'
import { sourceKindOf } from '../../lib/source-kinds.ts'
import './pipe-page.css'

type Pipe = Result<'pipes.get'>

const resting: readonly string[] = ['Stopped', 'Paused', 'Failed', 'Completed']

/** Start or stop, and in the menu what is rarer. */
export function PipeActions({ pipe }: { pipe: Pipe }) {
  const { id: pipeId, serviceId, name, state } = pipe
  if (!may('pipes:manage', serviceId)) return null
  const isResting = resting.includes(state)
  const busy =
    isPipeBusy(state) && state !== 'Snapshot' ? `It is ${pipeLooks[state].word.toLowerCase()}.` : null
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
        <Button tone="primary" onPress={() => send('start')}>
          Start
        </Button>
      ) : (
        <Button reason={busy} onPress={() => send('stop')}>
          Stop
        </Button>
      )}
      <Menu
        label={`More of ${name}`}
        mark="page-menu"
        entries={[
          sourceKindOf(pipe.source) === 'postgres' && { name: 'Resync', icon: 'resync', onPress: resync },
          { name: 'Delete', icon: 'trash', isDangerous: true, onPress: remove },
        ]}
      />
    </>
  )
}
