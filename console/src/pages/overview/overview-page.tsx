import { organization } from '../../api/session.ts'
import { Page } from '../../frame/page.tsx'
import { Empty } from '../../kit/empty.tsx'

export function OverviewPage() {
  return (
    <Page title={organization.value?.name ?? 'Overview'} crumb="Overview" documentTitle="Overview">
      <Empty title="This page is not built yet." />
    </Page>
  )
}
