import type { ComponentChildren } from 'preact'
import type { Resource } from '../api/resources.ts'
import { ErrorBox } from './error-box.tsx'
import { Skeleton } from './skeleton.tsx'

/**
 * A part of a page that shows a resource: skeleton rows, then the data; the error in place of the data if there is
 * none. Data that could not be refreshed stays; the live sign says its age.
 */
export function Loaded<T>(props: {
  resource: Resource<T>
  rows?: number
  children: (data: T) => ComponentChildren
}) {
  const { resource, rows = 4, children } = props
  const data = resource.data.value
  if (data !== undefined) return <>{children(data)}</>
  const error = resource.error.value
  // While the server is away the bar of the frame says so; the part tries again when it is back.
  if (error && !error.isAway) return <ErrorBox error={error} retry={resource.reload} />
  return <Skeleton rows={rows} />
}
