import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config/load.ts'
import type { KeyRecord } from '../domain/key/types.ts'
import type { OrganizationTier } from '../domain/organization/tiers.ts'
import { anywhere } from '../domain/service/ip-access.ts'
import type { Clock } from '../lib/clock.ts'
import { newId, randomText } from '../lib/ids.ts'
import type { SecretBox } from '../store/secret-box.ts'
import type { Repositories, Store } from '../store/store.ts'

/**
 * The content of `credentials.json`: enough for the CLI, and for a person, to use the server on this machine.
 */
export interface Credentials {
  url: string
  organizationId: string
  keyId: string
  keySecret: string
  dashboardToken: string
}

/** The first organization has no limits, because the user owns the machine. */
const firstOrganization = { name: 'My organization', tier: 'SCALE' as OrganizationTier, paid: true }

/**
 * Makes sure that a user can log in. Credentials from the environment always exist afterwards; without them,
 * the first start of a store creates credentials and writes them to `credentials.json` before it saves them in
 * the store, so that a crash in between cannot lock the user out. Returns the credentials if they were created
 * just now.
 */
export async function ensureCredentials(
  { store, secretBox, clock }: { store: Store; secretBox: SecretBox; clock: Clock },
  config: BootstrapConfig,
): Promise<Credentials | null> {
  const file = join(config.dataDir, 'credentials.json')
  const isFirstStart = (await store.meta.get(firstOrganizationName)) === null
  const made = isFirstStart && !(config.adminKey && config.dashboardToken) ? readOrMake(file, config) : null
  const key = config.adminKey ?? made
  const token = config.dashboardToken ?? made?.dashboardToken
  const organizationId = await store.transaction(async (tx) => {
    // If two control planes start at once on an empty store, one names the first organization for both.
    const wanted = config.organizationId ?? made?.organizationId ?? newId()
    const first = await tx.meta.setOnce(firstOrganizationName, wanted)
    const organizationId = config.organizationId ?? first
    const exists = (await tx.organizations.get(organizationId)) !== null
    if (!exists && !key) {
      throw new Error(
        'GRANARY_ORGANIZATION_ID names a new organization: set GRANARY_ADMIN_KEY too, or nobody can use it',
      )
    }
    await tx.organizations.ensure({
      id: organizationId,
      ...firstOrganization,
      serviceCount: 0,
      keyCount: 0,
      createdAt: clock.now(),
    })
    // If several control planes start at once with a new key, one creates it and the others find it.
    await tx.organizations.get(organizationId, 'update')
    if (key) {
      await ensureKey(tx, clock, organizationId, {
        kind: 'management',
        name: 'Admin key of the first start',
        lookup: key.keyId,
        secretHash: secretBox.hash(key.keySecret),
        keySuffix: key.keyId.slice(-4),
      })
    }
    if (token) {
      const hash = secretBox.hash(token)
      await ensureKey(tx, clock, organizationId, {
        kind: 'dashboard',
        name: 'Dashboard token of the first start',
        lookup: hash,
        secretHash: hash,
        keySuffix: token.slice(-4),
      })
    }
    return organizationId
  })
  if (!made || made.organizationId === organizationId) return made
  const settled = { ...made, organizationId }
  const next = `${file}.${randomText(8)}`
  writeOnce(next, format(settled))
  renameSync(next, file)
  return settled
}

type BootstrapConfig = Pick<
  Config,
  'dataDir' | 'host' | 'port' | 'adminKey' | 'dashboardToken' | 'organizationId'
>

const firstOrganizationName = 'first-organization'

/** Null before the first start has named it. */
export const firstOrganizationId = (store: Store): Promise<string | null> =>
  store.meta.get(firstOrganizationName)
const format = (credentials: Credentials) => `${JSON.stringify(credentials, null, 2)}\n`

/** Writes the file completely or not at all; if two processes start at once, one creates it and both use it. */
function readOrMake(file: string, config: BootstrapConfig): Credentials {
  if (!existsSync(file)) {
    const made: Credentials = {
      url: `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${config.port}`,
      organizationId: config.organizationId ?? newId(),
      keyId: config.adminKey?.keyId ?? randomText(20),
      keySecret: config.adminKey?.keySecret ?? randomText(40),
      dashboardToken: config.dashboardToken ?? randomText(40),
    }
    writeOnce(file, format(made))
  }
  return JSON.parse(readFileSync(file, 'utf8')) as Credentials
}

/**
 * Readable by its owner only; the content is on the disk before the file has its name. Never overwrites a file.
 */
export function writeOnce(file: string, text: string): void {
  const temporary = `${file}.${randomText(8)}`
  const handle = openSync(temporary, 'wx', 0o600)
  try {
    chmodSync(temporary, 0o600)
    writeSync(handle, text)
    fsyncSync(handle)
    linkSync(temporary, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    closeSync(handle)
    rmSync(temporary, { force: true })
  }
}

interface WantedKey {
  kind: KeyRecord['kind']
  name: string
  lookup: string
  secretHash: string
  keySuffix: string
}

async function ensureKey(
  tx: Repositories,
  clock: Clock,
  organizationId: string,
  wanted: WantedKey,
): Promise<void> {
  const { lookup, secretHash, ...rest } = wanted
  const known = await tx.keys.byLookup(lookup)
  if (known && known.organizationId !== organizationId) {
    throw new Error(
      `GRANARY_${wanted.kind === 'management' ? 'ADMIN_KEY' : 'DASHBOARD_TOKEN'} belongs to another organization`,
    )
  }
  if (known) {
    // The environment may carry a new secret for the same key id.
    if (known.secretHash !== secretHash) await tx.keys.setSecret(known.id, secretHash)
    return
  }
  const key: KeyRecord = {
    id: newId(),
    organizationId,
    ...rest,
    state: 'enabled',
    roles: ['admin'],
    serviceGrants: [],
    ipAccessList: [...anywhere],
    createdAtMs: clock.now(),
    expireAtMs: null,
    usedAtMs: null,
  }
  await tx.keys.insert(key, { lookup, secretHash })
}
