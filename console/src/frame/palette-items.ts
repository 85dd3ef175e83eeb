import { routes } from '../../../src/api/routes.ts'
import { call } from '../api/call.ts'
import type { Result } from '../api/operations.ts'
import { refresh, useResource } from '../api/resource.ts'
import { isDashboardOnly, may, signOut } from '../api/session.ts'
import { confirm } from '../kit/confirm.tsx'
import type { IconName } from '../kit/icon-shapes.ts'
import { pipeLooks, serviceLooks } from '../kit/states.ts'
import { run as runCommand } from '../kit/toast.tsx'
import { navigate } from '../lib/address.ts'
import { refusalOf } from '../lib/commands.ts'
import type { PaletteItem } from '../lib/palette-rank.ts'
import { seenSections } from './seen-sections.ts'
import { groups, shownKeys } from './shortcuts.ts'
import { nextTheme } from './theme.ts'

export interface Command extends PaletteItem {
  icon: IconName
  run(): void
}

/** Everything that the palette finds, from what the console has read anyway. */
export function useCommands(): Command[] {
  const isToken = isDashboardOnly.value
  const services = useResource('services.list', {}, { when: !isToken }).data.value ?? []
  const pipes = useResource('organizations.pipes', {}, { when: !isToken }).data.value ?? []
  const mayDraw = may('dashboards:view')
  const dashboards = useResource('dashboards.list', {}, { when: mayDraw }).data.value ?? []
  const alerts = useResource('alerts.list', {}, { when: mayDraw }).data.value ?? []
  return [
    ...pages(),
    ...services.flatMap(ofService),
    ...pipes.map(({ id, serviceId, serviceName, name, state }) =>
      thing(
        id,
        name,
        `pipe of ${serviceName}, ${pipeLooks[state].word}`,
        'pipe',
        `/services/${serviceId}/pipes/${id}`,
      ),
    ),
    ...dashboards.map(({ id, name }) => thing(id, name, 'dashboard', 'dashboard', `/dashboards/${id}`)),
    ...alerts.map(({ id, name }) =>
      thing(id, name, 'alert', 'bell', `/alerts?q=${encodeURIComponent(name)}`),
    ),
    ...actions(),
    ...references(),
    ...keys(),
  ]
}

const go = (href: string) => () => void navigate(href)

function thing(id: string, name: string, note: string, icon: IconName, href: string): Command {
  return { id: `go-${id}`, name: `Go to ${name}`, words: name, note, icon, kind: 'thing', run: go(href) }
}

function pages(): Command[] {
  return seenSections().map(({ id, name, icon, key, href }) => ({
    ...{ id: `page-${id}`, name, note: `g ${key}`, icon, kind: 'page', run: go(href) },
  }))
}

function ofService(service: Result<'services.list'>[number]): Command[] {
  const { id, name, state } = service
  const word = serviceLooks[state].word.toLowerCase()
  const note = `service, ${word}`
  const commands = [
    thing(id, name, note, 'service', `/services/${id}`),
    { ...thing(`sql-${id}`, name, note, 'sql', `/sql/${id}`), name: `Open SQL on ${name}` },
  ]
  if (!may('services:manage', id)) return commands
  const verb = state === 'stopped' ? 'start' : 'stop'
  if (refusalOf(service, verb) !== null) return commands
  const title = `${verb === 'start' ? 'Start' : 'Stop'} ${name}`
  const icon = verb === 'start' ? 'play' : 'stopped'
  const run = () => void command(service, verb)
  return [...commands, { id: `${verb}-${id}`, name: title, note, icon, kind: 'action', run }]
}

async function command({ id, name }: Result<'services.list'>[number], verb: 'start' | 'stop'): Promise<void> {
  const isAgreed =
    verb === 'start' ||
    (await confirm({
      title: `Stop ${name}?`,
      text: 'Running queries are finished first; then no query and no pipe reaches it until it is started.',
      verb: `Stop ${name}`,
      keep: 'Keep it running',
    }))
  if (!isAgreed) return
  const work = call('services.updateState', { params: { serviceId: id }, body: { command: verb } })
  await runCommand(work, `${name} was not ${verb === 'start' ? 'started' : 'stopped'}.`)
  refresh('services.list', 'services.get')
}

function actions(): Command[] {
  const create: Command[] = may('services:create')
    ? [
        {
          id: 'new-service',
          name: 'New service',
          note: 'c',
          icon: 'plus',
          kind: 'action',
          run: go('/services/new'),
        },
      ]
    : []
  return [
    ...create,
    { id: 'theme', name: 'Change the theme', note: 't', icon: 'sun', kind: 'action', run: nextTheme },
    { id: 'sign-out', name: 'Sign out', note: '', icon: 'leave', kind: 'action', run: () => void signOut() },
  ]
}

/** Operations of the reference, by their ids. */
function references(): Command[] {
  return Object.entries(routes).map(([id, { method, path }]) => ({
    ...{ id: `ref-${id}`, name: `Reference: ${id}`, words: `${id} ${path}`, note: method, icon: 'docs' },
    kind: 'reference',
    run: () => location.assign(`/docs#${id}`),
  }))
}

function keys(): Command[] {
  return groups.value.flatMap(({ title, shortcuts }) =>
    shortcuts.map((shortcut) => ({
      ...{ id: `key-${shortcut.keys}`, name: shortcut.name, note: shownKeys(shortcut.keys), words: title },
      ...{ icon: 'right', kind: 'help' },
      run: () => shortcut.run(new KeyboardEvent('keydown')),
    })),
  )
}
