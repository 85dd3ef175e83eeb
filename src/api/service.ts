import { shownServiceCommands } from '../domain/service/commands.ts'
import {
  idleTimeoutMinutes,
  ipAccessEntries,
  numReplicas,
  replicaMemoryGb,
  serviceName,
  serviceTags,
  serviceTiers,
  totalMemoryGb,
} from '../domain/service/limits.ts'
import { serviceCommands } from '../domain/service/transitions.ts'
import { serviceStates } from '../domain/service/types.ts'
import { commandFields } from './commands.ts'
import { closed, dateTime, flag, list, oneOf, optional, Type, text, uuid } from './schema.ts'
import { ServiceResources } from './service-resources.ts'
import { ServiceRestore } from './service-restore.ts'

const ipAccessEntry = closed({
  source: Type.String({
    format: 'ip-source',
    maxLength: 64,
    description: 'An IPv4 or IPv6 address, or a range of them in CIDR form.',
    examples: ['10.0.0.0/8'],
  }),
  description: optional(text('What it is, for people.', { maxLength: 255 })),
})

export const IpAccessList = list(ipAccessEntry, 'Who may connect. Empty: nobody.', {
  maxItems: ipAccessEntries.max,
})

const tag = closed({
  key: Type.String({
    minLength: 1,
    maxLength: 128,
    pattern: '^[A-Za-z0-9._-]+$',
    description: 'Letters, digits, `.`, `_`, `-`.',
  }),
  value: optional(
    Type.String({
      maxLength: 256,
      pattern: '^[A-Za-z0-9._-]*$',
      description: 'The same characters; may be empty.',
    }),
  ),
})

const memory = (
  limits: typeof replicaMemoryGb | typeof totalMemoryGb,
  description: string,
  deprecated = false,
) =>
  Type.Number({
    minimum: limits.min,
    maximum: limits.max,
    multipleOf: limits.step,
    description: `${description} Only for production services; at most ${limits.maxUnpaid} for non-paid ones.`,
    ...(deprecated ? { deprecated: true } : {}),
  })

const horizontal = {
  numReplicas: optional(
    Type.Integer({
      minimum: numReplicas.min,
      maximum: numReplicas.max,
      description: `Replicas. The first service in a warehouse has ${numReplicas.minFirstInWarehouse} to ${numReplicas.max}; tier BASIC has exactly 1. Default 1 for tier BASIC, 3 for SCALE and ENTERPRISE.`,
    }),
  ),
  idleScaling: optional(flag('Whether the service may scale down to zero when idle. Default true.')),
  idleTimeoutMinutes: optional(
    Type.Number({
      minimum: idleTimeoutMinutes.min,
      maximum: idleTimeoutMinutes.max,
      description: `The shortest idle time before it scales down. Default ${idleTimeoutMinutes.default}.`,
    }),
  ),
}
const perReplica = {
  minReplicaMemoryGb: optional(memory(replicaMemoryGb, 'Lower bound of automatic scaling, per replica.')),
  maxReplicaMemoryGb: optional(memory(replicaMemoryGb, 'Upper bound of automatic scaling, per replica.')),
}

export const ReplicaScalingBody = closed({ ...perReplica, ...horizontal })

const inTotal = {
  minTotalMemoryGb: optional(
    memory(totalMemoryGb, 'Three times the lower bound per replica, whatever the replica count.', true),
  ),
  maxTotalMemoryGb: optional(
    memory(totalMemoryGb, 'Three times the upper bound per replica, whatever the replica count.', true),
  ),
}

export const TotalScalingBody = closed({ ...inTotal, ...horizontal })

export const ServiceStateBody = closed({
  command: oneOf(serviceCommands, 'Starting a started service and stopping a stopped one change nothing.'),
})

const name = Type.String({
  minLength: serviceName.min,
  maxLength: serviceName.max,
  pattern: '^[\\p{L}\\p{N}][\\p{L}\\p{N} ._-]*$',
  description: 'Letters, digits, spaces, `.`, `_` and `-`; begins with a letter or digit.',
})

const durableInserts = optional(
  flag(
    'Whether an insert is on the disk before it is acknowledged. Only for the first service of a warehouse, which writes. Default true.',
  ),
)

export const ServiceCreateBody = closed({
  name,
  tier: optional(oneOf(serviceTiers, 'Only production services scale their memory. Default production.')),
  provider: optional(text('Where it runs. Default local.', { minLength: 1, maxLength: 64 })),
  region: optional(text('Where it runs. Default local.', { minLength: 1, maxLength: 64 })),
  ...perReplica,
  ...inTotal,
  ...horizontal,
  ipAccessList: optional(IpAccessList),
  tags: optional(list(tag, 'Free labels.', { maxItems: serviceTags.max })),
  dataWarehouseId: optional(uuid('Joins this warehouse instead of beginning a new one.')),
  isReadonly: optional(flag('Refuses writes. Only for a service that joins a warehouse.')),
  durableInserts,
  backupId: optional(uuid('Begins with the data of this backup.')),
})

export const ServicePatchBody = closed({
  name: optional(name),
  ipAccessList: optional(
    Type.Union([
      IpAccessList,
      closed(
        { add: optional(IpAccessList), remove: optional(IpAccessList) },
        { description: 'A change: removed first, then added.' },
      ),
    ]),
  ),
  tags: optional(list(tag, 'Replaces all labels.', { maxItems: serviceTags.max })),
  durableInserts,
})

export const PasswordBody = closed({
  newPasswordHash: optional(
    Type.String({
      pattern: '^[A-Za-z0-9+/]{43}=$',
      description: 'Base64 of the SHA-256 of a password of your own. Absent: one is made and answered once.',
    }),
  ),
})

export const Service = closed({
  id: uuid('The service.'),
  name: text('Its name.'),
  state: oneOf(serviceStates, 'What it does now.'),
  stateReason: text('Why it is in that state.'),
  desiredState: oneOf(['running', 'stopped'] as const, 'What was last asked for.'),
  provider: text('Where it runs.'),
  region: text('Where it runs.'),
  tier: oneOf(serviceTiers, 'Only production services scale their memory.'),
  dbVersion: text('Version of the warehouse engine; empty until one has started.'),
  endpoints: list(
    closed({
      protocol: text('`http` or `https`.'),
      host: text('Host name or address.'),
      port: Type.Integer({ description: 'Port.' }),
      username: text('User to log in as.'),
    }),
    'Where clients connect.',
  ),
  minTotalMemoryGb: Type.Number({ deprecated: true, description: 'Three times minReplicaMemoryGb.' }),
  maxTotalMemoryGb: Type.Number({ deprecated: true, description: 'Three times maxReplicaMemoryGb.' }),
  minReplicaMemoryGb: Type.Number({ description: 'Lower bound of automatic scaling, per replica.' }),
  maxReplicaMemoryGb: Type.Number({ description: 'Upper bound of automatic scaling, per replica.' }),
  numReplicas: Type.Integer({ description: 'Replicas asked for.' }),
  idleScaling: flag('Whether it may scale down to zero.'),
  idleTimeoutMinutes: Type.Number({ description: 'The shortest idle time before it scales down.' }),
  currentScaling: closed(
    {
      numReplicas: Type.Integer({ description: 'Replicas that run.' }),
      replicaMemoryGb: Type.Number({ description: 'Memory of each; 0 while none runs.' }),
      reason: text('Why automatic scaling chose this memory; empty until it has changed it.'),
    },
    { description: 'What is in force now, beside what was asked for.' },
  ),
  resources: ServiceResources,
  ipAccessList: list(
    closed({ source: text('Address or range.'), description: text('What it is.') }),
    'Who may connect.',
  ),
  tags: list(closed({ key: text('Name.'), value: text('Value.') }), 'Free labels.'),
  createdAt: dateTime('When it was created.'),
  encryptionKey: text('Empty: not used here.'),
  encryptionAssumedRoleIdentifier: text('Empty: not used here.'),
  iamRole: text('Empty: not used here.'),
  privateEndpointIds: list(text('Id.'), 'Empty: not used here.'),
  availablePrivateEndpointIds: list(text('Id.'), 'Empty: not used here.'),
  dataWarehouseId: text('The warehouse whose data it works on.'),
  isPrimary: flag('Whether it is the first service of its warehouse.'),
  isReadonly: flag('Whether it refuses writes.'),
  durableInserts: flag('Whether an insert is on the disk before it is acknowledged.'),
  byocId: text('Empty: not used here.'),
  hasTransparentDataEncryption: flag('Always false here.'),
  transparentDataEncryptionKeyId: text('Empty: not used here.'),
  encryptionRoleId: text('Empty: not used here.'),
  restoredFromBackupId: text('The backup that its data began with; empty for none.'),
  ...commandFields(shownServiceCommands),
  restore: optional(ServiceRestore),
})

export const ServiceWithPassword = closed({
  service: Service,
  password: text('For the user `default`. Shown once: only its hash is kept.'),
})

export const PasswordResult = closed({ password: text('Shown once. Empty when a hash was sent.') })
