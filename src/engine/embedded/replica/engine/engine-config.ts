import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { filterSwitch } from '../../filter/filter-switch.ts'
import { allGrants, grants } from '../../filter/grants.ts'
import { fixedSettings, tagSetting } from '../../filter/settings.ts'
import type { ReplicaSpec } from '../../protocol.ts'

/** The directories and files of a replica. */
export interface ReplicaPaths {
  /** The engine's data directory. */
  dataDir: string
  configFile: string
  fifosDir: string
  /** Holds results and bodies that do not fit into memory. */
  spoolDir: string
  /** The only place where the engine may keep backups: it holds links to a job's backups while the job runs. */
  backupsDir: string
}

/** The prefix of the tags of connections that run the replica's own statements. */
export const ourTags = 'own-'

/**
 * Writes the engine's configuration. As a library the engine trusts every SQL statement; here it serves clients, so
 * grants and constraints withhold from them what reaches the files and programs of this machine, as far as they can.
 * (`filter/forbidden.ts` does the rest.) Constraints do not apply to the command line of a connection, so the replica
 * itself can still change the settings that clients must not touch.
 */
export function prepareEngine(spec: ReplicaSpec): ReplicaPaths {
  const { workDir, role } = spec
  const paths: ReplicaPaths = {
    // Each start rebuilds a reader's catalog from the writer's files.
    dataDir: role === 'writer' ? spec.dataDir : join(workDir, 'catalog'),
    configFile: join(workDir, 'config.xml'),
    fifosDir: join(workDir, 'fifos'),
    spoolDir: join(workDir, 'spool'),
    backupsDir: join(workDir, 'backups'),
  }
  if (role === 'reader') rmSync(paths.dataDir, { recursive: true, force: true })
  for (const directory of [paths.fifosDir, paths.spoolDir, paths.backupsDir, ...scratchDirs(workDir)]) {
    rmSync(directory, { recursive: true, force: true })
    mkdirSync(directory, { recursive: true, mode: 0o700 })
  }
  mkdirSync(paths.dataDir, { recursive: true, mode: 0o700 })
  const usersFile = join(workDir, 'users.xml')
  writeFileSync(usersFile, usersXml(), { mode: 0o600 })
  writeFileSync(paths.configFile, configXml(spec, paths.backupsDir, usersFile), { mode: 0o600 })
  return paths
}

const scratch = { tmp_path: 'tmp', user_files_path: 'user-files', format_schema_path: 'schemas' }
const scripts = { user_scripts_path: 'scripts' }

const scratchDirs = (workDir: string): string[] =>
  Object.values({ ...scratch, ...scripts }).map((name) => join(workDir, name))

/** Inserts and merges leave this much of the disk free for other processes, above all the control plane's store. */
const keptFreeBytes = 64 * 1024 * 1024

function configXml(
  { workDir, memoryBytes, durableInserts = true }: ReplicaSpec,
  backupsDir: string,
  usersFile: string,
): string {
  const share = (fraction: number) => String(Math.floor(memoryBytes * fraction))
  const entries: Record<string, string> = {
    max_server_memory_usage: String(memoryBytes),
    // The defaults assume a server that has the whole machine to itself.
    mark_cache_size: share(0.1),
    index_mark_cache_size: share(0.02),
    users_config: usersFile,
    display_name: 'granary',
    ...Object.fromEntries(
      Object.entries({ ...scratch, ...scripts }).map(([key, name]) => [key, `${join(workDir, name)}/`]),
    ),
  }
  const backups = `<backups>${elements({ allowed_path: `${backupsDir}/` })}</backups>`
  // The engine gives up on a silent HDFS name node after two seconds, not twenty.
  const hdfs = `<hdfs>${elements({ rpc_client_connect_retry: '1', rpc_client_max_retry: '1' })}</hdfs>`
  const flag = durableInserts ? '1' : '0'
  // Syncs the parts that an insert writes, and the directory entries of these parts.
  const mergeTree = elements({ fsync_after_insert: flag, fsync_part_directory: flag })
  const disks = `<disks><default>${elements({ keep_free_space_bytes: String(keptFreeBytes) })}</default></disks>`
  return document(
    `${elements(entries)}${backups}<merge_tree>${mergeTree}</merge_tree><storage_configuration>${disks}</storage_configuration>${hdfs}<logger><level>warning</level></logger>`,
  )
}

function usersXml(): string {
  const queries = (filterSwitch.isOff ? allGrants : grants).map((query) => `<query>${query}</query>`).join('')
  const fixed = filterSwitch.isOff ? [tagSetting] : [...fixedSettings.keys()]
  const constraints = fixed.map((name) => `<${name}><readonly/></${name}>`).join('')
  const user = `<password></password><networks><ip>::/0</ip></networks><profile>default</profile><quota>default</quota>`
  // Below a millisecond the engine waits for its own result for ever.
  const delays = '<interactive_delay><min>1000</min></interactive_delay>'
  return document(
    `<profiles><default>${elements(profile)}<constraints>${constraints}${delays}</constraints></default></profiles>` +
      `<users><default>${user}<access_management>0</access_management><grants>${queries}</grants>${policies}</default></users>` +
      '<quotas><default/></quotas>',
  )
}

/** Clients never see the replica's own statements, however they read the list; the replica sees all statements. */
const policies = `<databases><system><processes><filter>startsWith(getSetting('${tagSetting}'), '${ourTags}')
  OR NOT startsWith(Settings['${tagSetting}'], '${ourTags}')</filter></processes></system></databases>`

/** First a server's values where the library has other defaults, then the settings that keep SQL away from files. */
const profile: Record<string, string> = {
  implicit_select: '0',
  // An insert is acknowledged when it is in the table.
  async_insert: '0',
  allow_introspection_functions: '0',
  // The engine gives up on an unreachable object store after seconds; the library's 500 attempts take half an hour.
  s3_retry_attempts: '8',
  backup_restore_s3_retry_attempts: '8',
  // Schemas are given as text, not as file names.
  format_schema_source: 'string',
  // Values from any source (a URL, a string) may contain calls of any function, including `file(…)`.
  input_format_values_interpret_expressions: '0',
  input_format_values_deduce_templates_of_expressions: '0',
}

const document = (content: string): string => `<clickhouse>${content}</clickhouse>\n`

const elements = (entries: Record<string, string>): string =>
  Object.entries(entries)
    .map(([name, value]) => `<${name}>${escapeXml(value)}</${name}>`)
    .join('')

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
