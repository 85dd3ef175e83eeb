export interface Api {
  key: number
  name: ApiName
  min: number
  max: number
  /** From this version on, requests and answers are flexible. */
  flexibleFrom: number
}

export type ApiName = keyof typeof versions

/** Key, lowest and highest version, first flexible version. */
const versions = {
  Produce: [0, 3, 11, 9],
  Fetch: [1, 4, 17, 12],
  ListOffsets: [2, 1, 9, 6],
  Metadata: [3, 0, 12, 9],
  OffsetCommit: [8, 2, 9, 8],
  OffsetFetch: [9, 1, 9, 6],
  FindCoordinator: [10, 0, 6, 3],
  JoinGroup: [11, 0, 9, 6],
  Heartbeat: [12, 0, 4, 4],
  LeaveGroup: [13, 0, 5, 4],
  SyncGroup: [14, 0, 5, 4],
  DescribeGroups: [15, 0, 5, 5],
  ListGroups: [16, 0, 5, 3],
  SaslHandshake: [17, 0, 1, 99],
  ApiVersions: [18, 0, 4, 3],
  CreateTopics: [19, 2, 7, 5],
  DeleteTopics: [20, 1, 6, 4],
  DeleteRecords: [21, 0, 2, 2],
  InitProducerId: [22, 0, 5, 2],
  AddPartitionsToTxn: [24, 0, 5, 3],
  AddOffsetsToTxn: [25, 0, 4, 3],
  EndTxn: [26, 0, 4, 3],
  TxnOffsetCommit: [28, 0, 4, 3],
  SaslAuthenticate: [36, 0, 2, 2],
  CreatePartitions: [37, 0, 3, 2],
  DeleteGroups: [42, 0, 2, 2],
} as const satisfies Record<string, readonly [number, number, number, number]>

export const apis: readonly Api[] = Object.entries(versions).map(([name, [key, min, max, flexibleFrom]]) => ({
  ...{ key, min, max, flexibleFrom },
  name: name as ApiName,
}))

const byKey = new Map(apis.map((api) => [api.key, api]))
export const apiOf = (key: number): Api | undefined => byKey.get(key)
