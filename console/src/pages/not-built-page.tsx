import { Page } from '../frame/page.tsx'
import { Empty } from '../kit/empty.tsx'

/** Stands for pages that are not built yet. */
export function NotBuiltPage() {
  return (
    <Page title="Not built yet">
      <Empty icon="settings" title="This page is not built yet." />
    </Page>
  )
}
