import { may } from '../../api/session.ts'
import { Page } from '../../frame/page.tsx'
import { CopyLine } from '../../kit/copy.tsx'
import { Barn } from './barn.tsx'
import { DemoCard } from './demo-card.tsx'
import './first-run.css'

/** The overview while there is no service: the way to a drawn dashboard, and to one's own data. */
export function FirstRun() {
  return (
    <Page
      title="The granary is empty."
      documentTitle="Overview"
      crumb="Overview"
      lead="Fill it with a demo and look around, or begin with a service of your own."
    >
      <div class="first-run stack">
        <div class="first-run-top">
          <div>
            <DemoCard />
            <div class="first-run-terminal">
              <span class="muted">or in a terminal</span>
              <CopyLine text="npx granary demo" label="Copy the command" />
            </div>
            <p class="field-hint">
              It takes nothing from you: <code>granary demo --remove</code>, or one click in Settings, removes
              all of it.
            </p>
          </div>
          <Barn />
        </div>
        <h2 class="first-run-then">Your own data, in four steps</h2>
        <ol class="first-run-steps">
          <li>
            <b>Make a service</b>
            <p>A ClickHouse that sleeps when nobody asks and wakes within a second.</p>
            {may('services:create') ? (
              <a href="/services/new">New service</a>
            ) : (
              <span class="muted">needs an admin key</span>
            )}
          </li>
          <li>
            <b>Bring data in</b>
            <p>From Kafka, object storage, Kinesis or Postgres; each record exactly once.</p>
            <span class="muted">needs a service</span>
          </li>
          <li>
            <b>Ask</b>
            <p>SQL here, or any ClickHouse client at the service’s own address.</p>
            <span class="muted">needs a service</span>
          </li>
          <li>
            <b>Draw</b>
            <p>Dashboards with tiles, filters and alerts; every view is a link.</p>
            <span class="muted">needs data</span>
          </li>
        </ol>
      </div>
    </Page>
  )
}
