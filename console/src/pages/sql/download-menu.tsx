import { open } from '../../api/call.ts'
import { Menu } from '../../kit/menu.tsx'
import { run } from '../../kit/toast.tsx'

const formats = [
  { format: 'CSVWithNames', name: 'CSV', extension: 'csv' },
  { format: 'TSVWithNames', name: 'TSV', extension: 'tsv' },
  { format: 'JSONEachRow', name: 'JSON lines', extension: 'jsonl' },
  { format: 'Parquet', name: 'Parquet', extension: 'parquet' },
] as const
type Format = (typeof formats)[number]

/** The whole result as a file: the statement runs again, and its answer goes to the file as it comes where the browser can. */
export function DownloadMenu({ serviceId, query, name }: { serviceId: string; query: string; name: string }) {
  return (
    <Menu
      label="Download all rows"
      icon="download"
      tone="plain"
      entries={formats.map((format) => ({
        name: format.name,
        onPress: () => run(download(serviceId, query, name, format), 'The result was not downloaded.'),
      }))}
    >
      Download
    </Menu>
  )
}

interface SavingWindow {
  showSaveFilePicker?(options: {
    suggestedName: string
  }): Promise<{ createWritable(): Promise<WritableStream> }>
}

async function download(serviceId: string, query: string, name: string, { format, extension }: Format) {
  const fileName = `${name.replaceAll(/[^\w-]+/g, '-').toLowerCase()}.${extension}`
  const file = await chosenFile(fileName)
  if (file === 'none') return
  const answer = await open('services.export', { params: { serviceId }, body: { query, format } })
  if (file && answer.body) {
    await answer.body.pipeTo(await file.createWritable())
    return
  }
  const url = URL.createObjectURL(await answer.blob())
  const link = Object.assign(document.createElement('a'), { href: url, download: fileName })
  link.click()
  URL.revokeObjectURL(url)
}

/** Null where the browser cannot write to a file that is chosen; `none` = the person chose none. */
async function chosenFile(suggestedName: string) {
  const { showSaveFilePicker } = window as SavingWindow
  if (!showSaveFilePicker) return null
  try {
    return await showSaveFilePicker.call(window, { suggestedName })
  } catch {
    return 'none'
  }
}
