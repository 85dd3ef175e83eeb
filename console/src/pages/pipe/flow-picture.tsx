import type { ComponentChildren } from 'preact'
import type { Result } from '../../api/operations.ts'
import { useResource } from '../../api/resource.ts'
import { useFade } from '../../kit/fade.ts'
import { Icon, type IconName } from '../../kit/icon.tsx'
import { serviceLooks } from '../../kit/states.ts'
import { behindText } from '../../lib/behind.ts'
import { formatBytes, formatCount, formatPercent, formatRate } from '../../lib/numbers.ts'
import { sourceKindOf, sourceKinds } from '../../lib/source-kinds.ts'
import './flow-picture.css'
import { type BoxWords, flowOf, sourceWords, tableWords, workerWords } from './flow-words.ts'

type Pipe = Result<'pipes.get'>
type Service = Result<'services.get'>

/** From the source by the workers to the table, with rates, lag and what was rejected; it reads as a list. */
export function FlowPicture({ pipe, service }: { pipe: Pipe; service: Service | undefined }) {
  const { stats, serviceId } = pipe
  const kind = sourceKindOf(pipe.source)
  const flow = flowOf(pipe)
  return (
    <ol class="flow" data-flow={flow} aria-label="From source to table">
      <Box icon={sourceKinds[kind].icon} words={sourceWords(pipe)} href="#source" />
      <Hop
        class="flow-in"
        rate={stats && `${formatBytes(stats.bytesPerSecond)}/s`}
        what="read"
        beneath={stats?.lagRecords ? `${formatCount(stats.lagRecords)} records wait` : ''}
      />
      <Box icon="gear" words={workerWords(pipe)} href="#lanes" />
      {kind !== 'postgres' && <Rejected pipe={pipe} />}
      <Hop
        class="flow-out"
        rate={stats && formatRate(stats.rowsPerSecond)}
        what="rows"
        beneath={behindText(stats)}
      />
      <Box
        class="flow-last"
        icon="table"
        words={tableWords(pipe)}
        href={service && `/services/${serviceId}/tables`}
      >
        {stats && (
          <>
            <Changing>{formatCount(stats.rows)}</Changing> rows written, of {formatBytes(stats.bytes)}
            <br />
          </>
        )}
        {service && (
          <>
            on <a href={`/services/${serviceId}`}>{service.name}</a>,{' '}
            {serviceLooks[service.state].word.toLowerCase()}
          </>
        )}
      </Box>
    </ol>
  )
}

function Box(props: {
  icon: IconName
  words: BoxWords
  href: string | undefined
  class?: string
  children?: ComponentChildren
}) {
  const { icon, words, href, children } = props
  const { kind, what, more, whole = what, notes } = words
  const said = notes.filter((note) => note !== '')
  return (
    <li class={`flow-box ${props.class ?? ''}`}>
      <p class="flow-kind">
        <Icon name={icon} size="small" /> {kind}
      </p>
      <p class="flow-what" title={whole}>
        {href === undefined ? what : <a href={href}>{what}</a>} {more && <small>{more}</small>}
      </p>
      <p class="flow-notes">
        {said.map((note) => (
          <span key={note}>
            {note}
            <br />
          </span>
        ))}
        {children}
      </p>
    </li>
  )
}

function Hop(props: { class: string; rate: string | undefined; what: string; beneath: string }) {
  const { rate, what, beneath } = props
  return (
    <li class={`flow-hop ${props.class}`}>
      <p>
        {rate === undefined ? (
          '–'
        ) : (
          <>
            <b>
              <Changing>{rate}</Changing>
            </b>{' '}
            {what}
          </>
        )}
      </p>
      <Wire to="right" />
      <p>{beneath}</p>
    </li>
  )
}

const Wire = ({ to }: { to: 'right' | 'down' }) => (
  <span class="flow-wire" aria-hidden="true">
    <Icon name={to} size="small" />
  </span>
)

/** A value that fades when it changes. */
function Changing({ children }: { children: string }) {
  const ref = useFade<HTMLSpanElement>()
  return <span ref={ref}>{children}</span>
}

/** The records of the last day that are in the errors table instead. */
function Rejected({ pipe: { id, serviceId, stats } }: { pipe: Pipe }) {
  const history = useResource('pipes.history', {
    params: { serviceId, pipeId: id },
    query: { range: '24h' },
  }).data.value
  const ofDay = sum(history?.rejected)
  const isNone = ofDay === 0 && (stats?.rejected ?? 0) === 0
  const share = ofDay / Math.max(1, sum(history?.recordsIn), ofDay)
  return (
    <li class="flow-drop" data-hue={isNone ? 'rest' : 'warn'}>
      <Wire to="down" />
      <div class="flow-box flow-small">
        <p>
          <Icon name={isNone ? 'done' : 'warn'} size="small" />
          {isNone ? (
            <span>nothing rejected</span>
          ) : (
            <span>
              <b>
                <Changing>{formatCount(ofDay)}</Changing> rejected
              </b>{' '}
              in 24 h{ofDay > 0 && `, ${formatPercent(share)}`}
            </span>
          )}
        </p>
        <a href="#rejected">
          {isNone ? 'Rejected records' : `${formatCount(stats?.rejected ?? ofDay)} in all`}
        </a>
      </div>
    </li>
  )
}

const sum = (values: readonly number[] = []): number => values.reduce((all, value) => all + value, 0)
