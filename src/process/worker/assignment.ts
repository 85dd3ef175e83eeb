/**
 * For a spare: reports that it waits, and resolves with the working directory that the control process
 * assigns to it. The control process may exit before it has assigned one; then the spare exits, too.
 */
export function awaitAssignment(): Promise<string> {
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
