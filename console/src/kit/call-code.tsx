import { useState } from 'preact/hooks'
import { type AnyInput, type Id, routeOf } from '../api/operations.ts'
import { requestOf } from '../api/request.ts'
import { organization } from '../api/session.ts'
import { curlOf } from '../lib/call-text.ts'
import './call-code.css'
import { Code } from './code.tsx'
import { copyText } from './copy.tsx'
import type { MenuItem } from './menu.tsx'
import { Segment } from './segment.tsx'

export interface ShownCall {
  id: Id
  input: AnyInput
  /** The same by the command line. */
  granary: string
}

export function curlOfCall({ id, input }: Pick<ShownCall, 'id' | 'input'>): string {
  const { method, url } = requestOf(routeOf(id), input, organization.value?.id ?? '')
  return curlOf({
    method,
    url: `${location.origin}${url}`,
    ...(input.body === undefined ? {} : { body: input.body }),
  })
}

/** Entries of a menu that copy what a button sends. */
export const copyEntries = (call: ShownCall): MenuItem[] => [
  { name: 'Copy as curl', icon: 'copy', onPress: () => copyText(curlOfCall(call)) },
  { name: 'Copy as granary', icon: 'copy', onPress: () => copyText(call.granary) },
]

/** What a form sends, for scripts: by the command line or by curl. */
export function CallCode({ call }: { call: ShownCall }) {
  const [way, setWay] = useState<'granary' | 'curl'>('granary')
  return (
    <div class="call-code">
      <Segment
        label="Write the command for"
        value={way}
        onChange={setWay}
        options={[
          { value: 'granary', name: 'granary' },
          { value: 'curl', name: 'curl' },
        ]}
      />
      <Code
        text={way === 'granary' ? call.granary : curlOfCall(call)}
        language="shell"
        wraps
        label={way === 'granary' ? 'Copy as granary' : 'Copy as curl'}
      />
    </div>
  )
}
