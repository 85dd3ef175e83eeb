/**
 * The lines of an answer with progress: `{"progress":…}` at once and whenever the work tells some that nobody has
 * read yet, last the whole answer. An error of the work is thrown after the first line, so it becomes a line too.
 */
export async function* withProgress(
  work: (progress: (value: object) => void) => Promise<unknown>,
  whole: (result: unknown) => string,
): AsyncGenerator<string> {
  let latest: object | null = null
  let wake = () => {}
  const running = work((value) => {
    latest = value
    wake()
  })
  const ended = running.then(
    () => true,
    () => true,
  )
  yield JSON.stringify({ progress: nothingYet })
  for (;;) {
    const told = new Promise<false>((resolve) => {
      wake = () => resolve(false)
    })
    if (latest === null && (await Promise.race([ended, told]))) break
    const progress: object | null = latest
    latest = null
    if (progress !== null) yield JSON.stringify({ progress })
  }
  yield whole(await running)
}

const nothingYet = { rowsRead: 0, bytesRead: 0, totalRows: 0, percent: 0 }
