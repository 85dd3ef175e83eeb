import { createEmbeddedRig, until } from '../../../test/support/embedded-rig.ts'
import { testEngine } from '../../../test/support/engine-contract.ts'

// The whole engine contract, on real processes without an engine in them.
testEngine(async (t) => {
  const { open } = createEmbeddedRig(t)
  const rig = {
    engine: await open(),
    async reopen() {
      await rig.engine.close()
      return open()
    },
    until,
  }
  return rig
})
