/** A JSON string, or everything up to what ends a value. */
const value = String.raw`"(?:[^"\\]|\\.)*"?|[^,}\]\s]+`

/** The text of a record before, in and after the value of the field at fault; null = it is not found. */
export function splitAtFault(raw: string, field: string | null): [string, string, string] | null {
  if (!field) return null
  const name = JSON.stringify(field).replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)
  const found = new RegExp(String.raw`(${name}\s*:\s*)(${value})`).exec(raw)
  if (!found) return null
  const [, before = '', fault = ''] = found
  const at = found.index + before.length
  return [raw.slice(0, at), fault, raw.slice(at + fault.length)]
}
