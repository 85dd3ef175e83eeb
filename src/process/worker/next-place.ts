/** For a spare: says that it waits, and resolves when it is told where to work. Whoever would tell may go before he has. */
export function nextPlace(): Promise<string> {
  return new Promise((resolve) => {
    const leave = () => process.exit(0)
    process.once('disconnect', leave)
    process.once('message', (workDir) => {
      process.off('disconnect', leave)
      process.disconnect()
      process.chdir(String(workDir))
      resolve(String(workDir))
    })
    process.send?.('loaded')
  })
}
