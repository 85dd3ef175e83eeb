import type { WorkerClient } from '../../process/supervise/kind.ts'
import { createSocketClient } from '../../process/supervise/socket-client.ts'
import { type ReplicaSpec, type ReplicaStatus, replicaPaths } from './protocol.ts'

/** What the control process asks a replica. An earlier process of the same replica is not taken for it. */
export function createReplicaClient(
  { socketPath, replicaId, epoch }: Pick<ReplicaSpec, 'socketPath' | 'replicaId' | 'epoch'>,
  timeoutMs: number,
): WorkerClient<ReplicaStatus> {
  const { ask, close } = createSocketClient(socketPath, timeoutMs)
  return {
    async status() {
      const status = JSON.parse(await ask('GET', replicaPaths.status)) as ReplicaStatus
      if (status.replicaId !== replicaId || status.epoch !== epoch) {
        throw new Error(
          `${status.replicaId}, epoch ${status.epoch}, answers instead of ${replicaId}, ${epoch}`,
        )
      }
      return status
    },
    async drain() {
      await ask('POST', replicaPaths.drain)
    },
    close,
  }
}
