import type { Issue } from '../issue.ts'
import { issue, notAllowed } from './rule.ts'

/**
 * Addresses of sources. They are shown in answers and logs, so an address that carries a credential is refused.
 * Addresses may contain globs (also `?`), so this code reads the text itself instead of using a URL parser.
 */
const addressPattern = /^([a-z][a-z0-9]*):\/\/([^/?#\\]*)(.*)$/is

/** Names of query parameters that carry a signature, a token or a key, in any of the usual spellings. */
const secretParameter =
  /^(sig|key)$|signature|credential|token|secret|passw|pwd|access-?_?key|api-?_?key|access-?_?id|authorization/i

export interface AddressRule {
  schemes: readonly string[]
  /** Where a credential belongs instead, for the text of the issue. */
  instead: string
}

export function checkAddress(path: Issue['path'], text: string, rule: AddressRule): Issue[] {
  const match = addressPattern.exec(text)
  const [, scheme = '', authority = '', rest = ''] = match ?? []
  if (match === null || !rule.schemes.includes(scheme.toLowerCase()) || hasControl(text)) {
    const forms = rule.schemes.map((name) => `${name}://`).join(', ')
    return [issue(path, 'invalid_format', `An address that starts with one of ${forms} is expected.`)]
  }
  if (authority.includes('@')) {
    return [notAllowed(path, `It must not contain a user name or password; put them into ${rule.instead}.`)]
  }
  // A password that contains a slash leaves a "port" that is not a number.
  if (!isHost(authority) || text.includes('\\')) {
    return [issue(path, 'invalid_format', 'The address names no valid host or bucket.')]
  }
  if (carriesSecret(rest)) {
    return [
      notAllowed(path, `It must not carry a signature or key; put the credential into ${rule.instead}.`),
    ]
  }
  return []
}

/** Whether a text has a query parameter that is a signature, a token or a key. */
export const carriesSecret = (text: string): boolean =>
  parameterNames(text).some((name) => secretParameter.test(name))

/** `?`, `*` and `**` are globs; alternatives, ranges and classes are not, nor is a glob in a bucket's host. */
export function checkGlob(path: Issue['path'], text: string): Issue[] {
  const match = addressPattern.exec(text)
  const [host, key] = match === null ? ['', text] : [match[2] ?? '', match[3] ?? '']
  if (/[{}]/.test(text) || /\[[^\]]*\]/.test(key)) {
    const message = 'Braces, ranges and character classes are not supported; use ?, * and **.'
    return [issue(path, 'invalid_format', message)]
  }
  if (host.includes('*')) {
    return [issue(path, 'invalid_format', 'A glob may stand in the path only, not in the host or bucket.')]
  }
  return []
}

/** A host, with or without a port; no scheme, no user, no path. */
export function isHost(text: string): boolean {
  const match = /^(\[[0-9a-f:.]+\]|[^\s:/@?#,\\[\]]+)(?::(\d{1,5}))?$/i.exec(text)
  if (match === null) return false
  return match[2] === undefined || (Number(match[2]) >= 1 && Number(match[2]) <= 65_535)
}

/** All names before a `=` that follow `?`, `&` or `;`, percent-decoded: `X-Amz-Sign%61ture` counts too. */
function parameterNames(rest: string): string[] {
  return [...rest.matchAll(/[?&;#]([^?&;#=/]+)=/g)].map((match) => unescaped(match[1] ?? ''))
}

function unescaped(text: string): string {
  return text.replace(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const hasControl = (text: string): boolean => /[\u0000-\u001f\u007f]/.test(text)
