import { apiVersions, saslAuthenticate, saslHandshake } from './api-authentication.ts'
import { fetch } from './api-fetch.ts'
import { deleteGroups, describeGroups, listGroups } from './api-group-admin.ts'
import { heartbeat, joinGroup, leaveGroup, syncGroup } from './api-group-members.ts'
import { offsetCommit, offsetFetch } from './api-group-offsets.ts'
import { listOffsets } from './api-list-offsets.ts'
import { findCoordinator, metadata } from './api-metadata.ts'
import { produce } from './api-produce.ts'
import { createPartitions, createTopics, deleteRecords, deleteTopics } from './api-topics.ts'
import {
  addOffsetsToTxn,
  addPartitionsToTxn,
  endTxn,
  initProducerId,
  txnOffsetCommit,
} from './api-transactions.ts'
import type { ApiName } from './apis.ts'
import type { Handler } from './exchange.ts'

export const handlers: Record<ApiName, Handler> = {
  AddOffsetsToTxn: addOffsetsToTxn,
  AddPartitionsToTxn: addPartitionsToTxn,
  ApiVersions: apiVersions,
  CreatePartitions: createPartitions,
  CreateTopics: createTopics,
  DeleteGroups: deleteGroups,
  DeleteRecords: deleteRecords,
  DeleteTopics: deleteTopics,
  DescribeGroups: describeGroups,
  EndTxn: endTxn,
  Fetch: fetch,
  FindCoordinator: findCoordinator,
  Heartbeat: heartbeat,
  InitProducerId: initProducerId,
  JoinGroup: joinGroup,
  LeaveGroup: leaveGroup,
  ListGroups: listGroups,
  ListOffsets: listOffsets,
  Metadata: metadata,
  OffsetCommit: offsetCommit,
  OffsetFetch: offsetFetch,
  Produce: produce,
  SaslAuthenticate: saslAuthenticate,
  SaslHandshake: saslHandshake,
  SyncGroup: syncGroup,
  TxnOffsetCommit: txnOffsetCommit,
}
