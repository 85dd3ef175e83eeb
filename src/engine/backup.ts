import type { BackupJobState } from '../domain/backup/decide.ts'
import type { EngineRef } from './engine.ts'

/**
 * The port behind which backups are made, checked, removed and put back. As with services, one asks for a thing and
 * observes what became of it; whatever was asked for may be asked for again.
 */
export interface BackupRuntime {
  /** Begins the backup, or goes on with one that was begun; idempotent by the backup's id. */
  apply(task: BackupTask): Promise<void>
  /** Begins to read everything back and to hold it against the backup's own list of files; idempotent, too. */
  verify(source: BackupSource): Promise<void>
  /** What became of the job of that kind; absent = of the one that makes it. */
  observe(backupId: string, job?: BackupJob): Promise<BackupObservation>
  /** A hint that a job has ended, so that nobody need ask all the time. The result stops it. */
  onEnd(listener: (backupId: string) => void): () => void
  /** Ends one that is being made; it is then observed as failed, with that reason. */
  cancel(backupId: string, reason: string): Promise<void>
  /** Ends reading back, if it goes on, and forgets how it ended: the next `verify` begins anew. */
  forgetVerification(backupId: string): void
  /** Removes its files, whole or half made. Resumable: repeat until it resolves. Refuses nothing that is not there. */
  remove(backupId: string, place: BackupLocation): Promise<void>
  /** Tries a place: writes, reads and removes a small object. Rejects with a reason for a person. */
  tryLocation(place: BackupLocation, signal: AbortSignal): Promise<void>
  /** Ends what runs in this process. */
  close(): Promise<void>
}

/** Where the backups of services go, and what it takes to reach them there. */
export interface BackupLocations {
  /** Where the next backup of the service goes: `local`, or the id of its bucket. */
  current(serviceId: string): Promise<string>
  /** With the secrets that it takes; null when it is no longer known. */
  resolve(id: string): Promise<BackupLocation | null>
}

/** Where backups lie. */
export type BackupLocation =
  | { kind: 'local' }
  | {
      kind: 's3'
      /** The bucket and a folder in it, as the engine takes it: `https://host[:port]/bucket/folder/`, ends with a slash. */
      url: string
      /** Both '' = as whoever runs the engine: the environment or the role of the machine. */
      accessKeyId: string
      secretAccessKey: string
      /** '' = none. Assumed by whoever the keys, or the machine, are. */
      roleArn: string
      roleSessionName: string
    }

/** A backup that is there. */
export interface BackupSource {
  backupId: string
  place: BackupLocation
}

export interface BackupTask extends BackupSource {
  ref: EngineRef
  /** The backup that it stands on, at the same place; null = it is full. */
  baseId: string | null
}

/** A backup is made, or read back. */
export type BackupJob = 'make' | 'verify'

/** `totalBytes` and `totalFiles` are 0 while they are not known. */
export type BackupProgress = Extract<BackupJobState, { state: 'running' }>['progress']

/**
 * The size is what the backup takes at its location, without what it stands on; of one that was read back, what was
 * read. Damage names the file, of this backup or of one that it stands on. Absent = never begun here, or begun by a
 * process that is gone: what it left is swept by `apply` and `remove`.
 */
export type BackupObservation = BackupJobState
