/**
 * Azure connection strings: `Name=value;Name=value`. Only parts known to be harmless survive masking, so an
 * unknown part is hidden rather than shown.
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
      // An endpoint may carry a user or a signature; such an endpoint is hidden as a whole.
      if (endpoints.has(known) && !/[@?#]/.test(value)) return `${name}=${value}`
      // An unknown name may be a piece of a secret that was pasted in the wrong place.
      return secret.has(known) ? `${name}=${mask}` : mask
    })
    .join(';')
}

/** Every part has a name, and at least one part says where the account is. */
export function isConnectionString(text: string): boolean {
  const parts = partsOf(text)
  const names = parts.map((part) => part.name.toLowerCase())
  const placed = names.some((name) => harmless.has(name) || endpoints.has(name))
  return placed && parts.every((part) => /^[A-Za-z]{1,40}$/.test(part.name) && part.value !== '')
}

/** Whether the text was copied from an answer, where secrets are masked. */
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
      // A part without a name is treated as a value and hidden as a whole.
      return cut < 1 ? { name: '?', value: part } : { name: part.slice(0, cut), value: part.slice(cut + 1) }
    })
}
