/** The smallest form of a document that the client takes, and the name of its coding; '' = it is not compressed. */
export function chooseCoding<T>(
  header: string | string[] | undefined,
  forms: { plain: T; br?: T; gzip?: T },
): { coding: 'br' | 'gzip' | ''; form: T } {
  const offered = String(header ?? '').split(',')
  for (const coding of ['br', 'gzip'] as const) {
    const form = forms[coding]
    if (form !== undefined && offered.some((text) => patterns[coding].test(text))) return { coding, form }
  }
  return { coding: '', form: forms.plain }
}

const patterns = { br: accepts('br'), gzip: accepts('gzip') }

function accepts(coding: string): RegExp {
  return new RegExp(String.raw`^\s*(${coding}|\*)\s*(;\s*q=(?!0(\.0*)?\s*$).+)?\s*$`, 'i')
}

/** A client may list several tags and mark them as weak, which makes no difference for a constant document. */
export function isKnownTag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag)
}
