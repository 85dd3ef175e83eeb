import { splitAtFault } from './fault.ts'
import './fault-text.css'

/** The text of a record, with the value of the field at fault marked where it is found. */
export function FaultText({ text, field }: { text: string; field: string | null }) {
  const parts = splitAtFault(text, field)
  if (!parts) return <>{text}</>
  return (
    <>
      {parts[0]}
      <mark class="fault">{parts[1]}</mark>
      {parts[2]}
    </>
  )
}
