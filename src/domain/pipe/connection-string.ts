/**
 * Azure connection strings: `Name=value;Name=value`. Only parts known to be harmless survive masking, so a
 * part that nobody thought of is hidden rather than shown.
 */
const mask = '***'

const harmless = new Set([
  'defaultendpointsprotocol',
  'accountname',
  'endpointsuffix',
  'usedevelopmentstorage',
])
const secret = new Set([
  'accountkey',
  'sharedaccesskey',
  'sharedaccesssignature',
  'sharedaccesskeyname',
  'sig',
])
const endpoints = new Set(['blobendpoint', 'queueendpoint', 'tableendpoint', 'fileendpoint', 'endpoint'])

export function maskConnectionString(text: string): string {
  return partsOf(text)
    .map(({ name, value }) => {
      const known = name.toLowerCase()
      if (harmless.has(known)) return `${name}=${value}`
      // An endpoint may carry a user or a signature; one that does is hidden whole.
      if (endpoints.has(known) && !/[@?#]/.test(value)) return `${name}=${value}`
      // A name that is not known may be a piece of a secret that was pasted in the wrong place.
      return secret.has(known) ? `${name}=${mask}` : mask
    })
    .join(';')
}

/** Parts with names, and at least one of them says where the account is. */
export function isConnectionString(text: string): boolean {
  const parts = partsOf(text)
  const names = parts.map((part) => part.name.toLowerCase())
  const placed = names.some((name) => harmless.has(name) || endpoints.has(name))
  return placed && parts.every((part) => /^[A-Za-z]{1,40}$/.test(part.name) && part.value !== '')
}

/** Whether this is what an answer shows rather than what a source takes. */
export function isMasked(text: string): boolean {
  return partsOf(text).some((part) => part.value === mask)
}

function partsOf(text: string): { name: string; value: string }[] {
  return text
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      const cut = part.indexOf('=')
      // A part without a name cannot be judged, so all of it is the value and gets hidden.
      return cut < 1 ? { name: '?', value: part } : { name: part.slice(0, cut), value: part.slice(cut + 1) }
    })
}
