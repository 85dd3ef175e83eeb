import { useResource } from '../api/resource.ts'
import { isDashboardOnly, organization, session, signOut } from '../api/session.ts'
import { StateIcon } from '../kit/badge.tsx'
import { Button } from '../kit/button.tsx'
import { Icon } from '../kit/icon.tsx'
import { Mark } from '../kit/mark.tsx'
import { isServiceBusy, serviceLooks } from '../kit/states.ts'
import { idTail } from '../lib/words.ts'
import './navigation.css'
import { navigationCounts } from './counts.ts'
import { openPalette } from './palette-state.ts'
import { recentFirst } from './recent.ts'
import { footSections, mainSections, type Section, type SectionId } from './sections.ts'
import { isSeen } from './seen-sections.ts'
import { shownKeys } from './shortcuts.ts'
import { nextTheme, theme } from './theme.ts'

const most = 8

/** The sections, the services, and who is signed in. */
export function Navigation({ current, path }: { current: SectionId | null; path: string }) {
  return (
    <nav class="navigation" aria-label="Main">
      <a class="navigation-brand" href="/">
        <Mark /> Granary
      </a>
      <button type="button" class="navigation-find" onClick={() => openPalette()}>
        <Icon name="search" /> Search or jump <kbd>{shownKeys('Mod+k')}</kbd>
      </button>
      <SectionList sections={mainSections} current={current} />
      {!isDashboardOnly.value && <ServiceList path={path} />}
      <div class="navigation-foot">
        <SectionList sections={footSections} current={current} />
        <a class="navigation-link" href="/docs">
          <Icon name="docs" /> <span class="navigation-name">API reference</span>
        </a>
        <Who />
      </div>
    </nav>
  )
}

export function SectionList(props: { sections: readonly Section[]; current: SectionId | null }) {
  const shown = props.sections.filter(isSeen)
  return (
    <ul class="navigation-list">
      {shown.map(({ id, name, href, icon }) => {
        const count = navigationCounts.value[id] ?? 0
        return (
          <li key={id}>
            <a class="navigation-link" href={href} aria-current={id === props.current ? 'page' : undefined}>
              <Icon name={icon} /> <span class="navigation-name">{name}</span>
              {count > 0 && <span class="navigation-count">{count} to look at</span>}
            </a>
          </li>
        )
      })}
    </ul>
  )
}

export function ServiceList({ path }: { path: string }) {
  const services = useResource('services.list', {}, { pace: servicesPace }).data.value ?? []
  if (services.length === 0) return null
  const shown = recentFirst(services).slice(0, most)
  return (
    <>
      <p class="navigation-head" id="navigation-services">
        Services
      </p>
      <ul class="navigation-list navigation-services" aria-labelledby="navigation-services">
        {shown.map(({ id, name, state }) => {
          const href = `/services/${id}`
          const isHere = path === href || path.startsWith(`${href}/`)
          return (
            <li key={id}>
              <a class="navigation-link" href={href} aria-current={isHere ? 'page' : undefined}>
                <StateIcon look={serviceLooks[state]} value={state} />
                <span class="navigation-name">{name}</span>
                <span class="sr">, {serviceLooks[state].word}</span>
              </a>
            </li>
          )
        })}
        {services.length > most && (
          <li>
            <a class="navigation-link" href="/">
              <Icon name="more" size="small" />
              <span class="navigation-name">All {services.length}</span>
            </a>
          </li>
        )}
      </ul>
    </>
  )
}

const servicesPace = (services: { state: keyof typeof serviceLooks }[] | undefined) =>
  services?.some(({ state }) => isServiceBusy(state)) ? 'fast' : 'slow'

export function Who() {
  const key = session.value?.key
  if (!key) return null
  const role = key.kind === 'dashboard' ? 'dashboards' : (key.roles[0] ?? 'some services')
  return (
    <div class="navigation-who">
      <div class="grow">
        <p title={organization.value?.name}>{organization.value?.name}</p>
        <p class="muted" title={`${key.name || 'key'} ${key.id}, ${role}`}>
          {key.name || `key ${idTail(key.id)}`}
        </p>
        <p class="muted">{role}</p>
      </div>
      <ThemeButton />
      <Button tone="quiet" size="small" icon="leave" label="Sign out" onPress={signOut} />
    </div>
  )
}

export function ThemeButton() {
  const icon = { system: 'system', light: 'sun', dark: 'moon' } as const
  return (
    <Button
      tone="quiet"
      size="small"
      icon={icon[theme.value]}
      label={`Theme: ${theme.value}. Change theme`}
      onPress={nextTheme}
    />
  )
}
