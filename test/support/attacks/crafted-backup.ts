import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createContentHash } from '../../../src/engine/embedded/backup/content-hash.ts'

/** Writes a full backup of invented files in the engine's format, with valid checksums, as an attacker could. */
export function craftBackup(folder: string, files: Record<string, string>): void {
  const entries = Object.entries(files).map(([name, text]) => {
    const bytes = Buffer.from(text)
    const hash = createContentHash()
    hash.update(bytes)
    const path = join(folder, 'data-files', name.replaceAll('..', 'up'))
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, bytes)
    const dataFile = path.slice(folder.length + 1)
    return (
      `<file><name>${name}</name><size>${bytes.length}</size><checksum>${hash.digest()}</checksum>` +
      `<data_file>${dataFile}</data_file></file>`
    )
  })
  writeFileSync(
    join(folder, '.backup'),
    '<config><version>1</version><deduplicate_files>1</deduplicate_files><timestamp>2026-11-15 20:38:07</timestamp>' +
      `<uuid>ddd9e6a1-753a-4586-ab30-1a2f2fdcf3f4</uuid><contents>${entries.join('')}</contents></config>`,
  )
}
