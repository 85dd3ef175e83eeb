/** The JSON values of an answer of lines, as they come. A line that grows over many pieces is joined once. */
export async function* linesOf(response: Response): AsyncGenerator<unknown, void, void> {
  if (!response.body) return
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let begun: string[] = []
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      const [first = '', ...rest] = value.split('\n')
      begun.push(first)
      for (const next of rest) {
        yield* parsed(begun.join(''))
        begun = [next]
      }
    }
    yield* parsed(begun.join(''))
  } finally {
    // The reader may stop early: the request ends with it.
    await reader.cancel().catch(() => {})
  }
}

function* parsed(line: string): Generator<unknown> {
  const text = line.trim()
  if (text !== '') yield JSON.parse(text)
}
