import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'

/** Every secret that a test sends or gets, and every text that must contain none of them. */
export function createWatch() {
  const secrets = new Map<string, string>()
  const texts: { where: string; text: string }[] = []
  return {
    /** A new secret, recognizable wherever it appears. */
    secret(name: string): string {
      const value = `mk${randomBytes(12).toString('hex')}`
      secrets.set(value, name)
      return value
    },
    keep(name: string, value: string): void {
      assert.ok(value.length >= 16, `${name} is too short to be searched for`)
      secrets.set(value, name)
    },
    add: (where: string, text: string) => void texts.push({ where, text }),
    check(): void {
      assert.ok(secrets.size > 0 && texts.length > 0)
      const found: string[] = []
      for (const { where, text } of texts) {
        for (const [value, name] of secrets) {
          const forms = [value, Buffer.from(value).toString('base64').replace(/=+$/, ''), hex(value)]
          if (forms.some((form) => text.includes(form))) found.push(`${name} in ${where}`)
        }
      }
      assert.deepEqual(found, [])
    },
  }
}

const hex = (text: string) => Buffer.from(text).toString('hex')

export type Watch = ReturnType<typeof createWatch>
