import type { BackupJobState } from '../domain/backup/decide.ts'
import type { EngineRef } from './engine.ts'

/**
 * The port behind which backups are made, verified, removed and restored. As with services, a caller requests
 * a job and observes its result; every request may be repeated.
 */
export interface BackupRuntime {
  /** Begins the backup, or continues one that has begun; idempotent by the backup's id. */
  apply(task: BackupTask): Promise<void>
  /** Begins to read the backup back and to compare it with its own list of files; idempotent. */
  verify(source: BackupSource): Promise<void>
  /** The state of the backup's job of that kind; absent = 'make'. */
  observe(backupId: string, job?: BackupJob): Promise<BackupObservation>
  /** Hints that a job has ended, so that callers need not poll. The returned function unsubscribes. */
  onEnd(listener: (backupId: string) => void): () => void
  /** Ends a backup that is being made; it is then observed as failed, with this reason. */
  cancel(backupId: string, reason: string): Promise<void>
  /** Ends a running verification and forgets its result: the next `verify` begins anew. */
  forgetVerification(backupId: string): void
  /** Removes the backup's files, complete or partial; missing files are no error. Repeat until it resolves. */
  remove(backupId: string, place: BackupLocation): Promise<void>
  /** Probes a location: writes, reads and removes a small object. Rejects with a reason for a person. */
  tryLocation(place: BackupLocation, signal: AbortSignal): Promise<void>
  /** Ends the jobs that run in this process. */
  close(): Promise<void>
}

/** The locations of the services' backups, with the credentials to reach them. */
export interface BackupLocations {
  /** Where the next backup of the service goes: `local`, or the id of its bucket. */
  current(serviceId: string): Promise<string>
  /** With its secrets; null = the location is no longer known. */
  resolve(id: string): Promise<BackupLocation | null>
}

/** Where a backup is stored. */
export type BackupLocation =
  | { kind: 'local' }
  | {
      kind: 's3'
      /** The bucket and a folder in it, as the engine takes it: `https://host[:port]/bucket/folder/`, ends with a slash. */
      url: string
      /** Both '' = the credentials of the engine's own machine: its environment or its role. */
      accessKeyId: string
      secretAccessKey: string
      /** '' = none. The keys above, or the machine's own credentials, assume this role. */
      roleArn: string
      roleSessionName: string
    }

/** A finished backup. */
export interface BackupSource {
  backupId: string
  place: BackupLocation
}

export interface BackupTask extends BackupSource {
  ref: EngineRef
  /** The base backup, at the same location; null = this backup is full. */
  baseId: string | null
}

/** `make` writes a backup, `verify` reads it back. */
export type BackupJob = 'make' | 'verify'

/** `totalBytes` and `totalFiles` are 0 while they are unknown. */
export type BackupProgress = Extract<BackupJobState, { state: 'running' }>['progress']

/**
 * The size is what the backup takes at its location, without its base backups; after a verification, what was
 * read. Damage names the file, of this backup or of one of its bases. `absent` = never begun here, or begun
 * by a process that is gone: `apply` and `remove` sweep what that process left.
 */
export type BackupObservation = BackupJobState
