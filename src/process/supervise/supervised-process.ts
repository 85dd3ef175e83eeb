import type { ChildProcess } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isAlive, type ProcessIdentity, signalExactly } from './identity.ts'
import type { WorkerClient, WorkerSpec } from './kind.ts'
import { readLastWords } from './last-words.ts'
import { type Launched, launch, noteProcess, prepareWorkDir } from './launch.ts'
import type { Changed, SupervisorOptions, WorkerProcess } from './supervisor.ts'

/** After this many unanswered status requests in a row, a worker gets no more work. */
const missesUntilSilent = 2

export class SupervisedProcess<Spec extends WorkerSpec, Status> implements WorkerProcess<Spec, Status> {
  readonly spec: Spec
  phase: WorkerProcess<Spec, Status>['phase'] = 'starting'
  sinceMs = Number.POSITIVE_INFINITY
  servedSinceMs: number | null = null
  silentSinceMs: number | null = null
  killedAtMs: number | null = null
  status: Status | null = null
  failure = ''
  private readonly options: SupervisorOptions<Spec, Status>
  private readonly changed: Changed<Spec, Status>
  private readonly client: WorkerClient<Status>
  private readonly over = new AbortController()
  /** Aborts when the process should end. */
  private readonly unwanted = new AbortController()
  /** Frees this process's start slot for the next one. */
  private leaveStart = (): void => {}
  private child: ChildProcess | null = null
  private identity: ProcessIdentity | null = null
  private misses = 0
  private isResting = false

  constructor(spec: Spec, options: SupervisorOptions<Spec, Status>, changed: Changed<Spec, Status>) {
    this.spec = spec
    this.options = options
    this.changed = changed
    this.client = options.kind.connect(spec, options.limits.statusTimeoutMs)
  }

  get isReady(): boolean {
    if (this.over.signal.aborted || this.misses >= missesUntilSilent) return false
    return this.phase === 'serving' && this.isDraining() === false
  }

  async spawn(): Promise<void> {
    const { spec, options } = this
    const { kind } = options
    try {
      await this.waitForTurn()
      // The process may have become unwanted while it waited.
      if (this.wasAskedToEnd()) return await this.gone('')
      await options.reserve?.lend()
      options.step?.(`prepare the ${kind.name}`)
      await prepareWorkDir(kind, spec)
      if (this.wasAskedToEnd()) return await this.gone('')
      options.step?.('spawn')
      const { child, ended } = (await this.takeSpare()) ?? (await launch(spec.workDir, kind))
      this.child = child
      void ended.then((how) => this.gone(how))
    } catch (error) {
      return await this.gone(`could not be started: ${(error as Error).message}`)
    }
    // From here on a process runs: whatever fails, it is gone only when it has ended.
    if (this.wasAskedToEnd()) void this.signal('SIGKILL')
    try {
      options.step?.('note the process')
      if (this.child.pid !== undefined) this.identity = await noteProcess(spec.workDir, this.child.pid)
    } catch (error) {
      options.log.warn(
        { err: error, ...kind.namesOf(spec) },
        `a ${kind.name} runs, but its process could not be noted`,
      )
    }
    await this.watch()
  }

  private async waitForTurn(): Promise<void> {
    const { starts, spares, reserve, clock, limits } = this.options
    try {
      const leave = await starts.enter(this.unwanted.signal)
      this.leaveStart = () => {
        leave()
        spares?.refill()
        void reserve?.refill()
      }
    } catch {
      return
    }
    // A start that hangs must not hold up the others.
    void clock.sleep(limits.startTurnMs, this.over.signal).then(() => this.leaveStart())
    this.sinceMs = clock.now()
    // From here on the process has a deadline.
    this.changed(this)
  }

  private async takeSpare(): Promise<Launched | null> {
    const { spares, kind, log } = this.options
    const spare = spares?.take() ?? null
    try {
      await spare?.become(this.spec)
      return spare
    } catch (error) {
      log.warn({ err: error, ...kind.namesOf(this.spec) }, `a spare ${kind.name} could not be used`)
      return null
    }
  }

  adopt(identity: ProcessIdentity, status: Status | null): void {
    this.identity = identity
    this.sinceMs = this.options.clock.now()
    if (status) this.answered(status)
    void this.watch()
    void this.watchIdentity(identity)
  }

  end(): void {
    if (this.phase === 'ending' || this.phase === 'gone') return
    const wasServing = this.phase === 'serving'
    this.unwanted.abort()
    this.enter('ending')
    void this.askToEnd(wasServing)
  }

  kill(failure: string): void {
    if (this.phase === 'gone') return
    this.unwanted.abort()
    this.killedAtMs = this.options.clock.now()
    if (this.phase !== 'ending') {
      this.failure = failure
      this.enter('ending')
    }
    void this.signal('SIGKILL')
  }

  /**
   * Callers have heard of the end before this begins, and send no new work. Once the drain and a later status
   * request are answered, the worker has read everything that was sent to it, so nothing is lost when it
   * ends.
   */
  private async askToEnd(isServing: boolean): Promise<void> {
    if (isServing) {
      await this.client
        .drain()
        .then(() => this.client.status())
        .catch(() => undefined)
    }
    await this.signal('SIGTERM')
  }

  private async signal(signal: NodeJS.Signals): Promise<void> {
    if (this.phase === 'gone') return
    const { kind, log, step } = this.options
    try {
      step?.(signal)
      if (this.child) this.child.kill(signal)
      else if (this.identity) await signalExactly(this.identity, signal)
    } catch (error) {
      log.warn({ err: error, ...kind.namesOf(this.spec) }, `a ${kind.name} could not be sent ${signal}`)
    }
  }

  /** Asks the process for its status until it is gone. */
  private async watch(): Promise<void> {
    const { clock } = this.options
    while (!this.over.signal.aborted) {
      await this.client.status().then(
        (status) => this.answered(status),
        () => this.missed(),
      )
      await clock.sleep(this.pauseMs(), this.over.signal)
    }
  }

  /** A slow start is polled less often, and so is a worker that rests. */
  private pauseMs(): number {
    const { pollMs, restPollMs = pollMs, startPollMs } = this.options.limits
    if (this.phase === 'serving' && this.isResting && this.misses === 0) return restPollMs
    if (this.phase !== 'starting') return pollMs
    const isYoung = this.options.clock.now() - this.sinceMs < 100 * startPollMs
    return isYoung ? startPollMs : 5 * startPollMs
  }

  /** Polls an adopted process: only the end of a child comes as an event. */
  private async watchIdentity(identity: ProcessIdentity): Promise<void> {
    const { clock, limits } = this.options
    while (await isAlive(identity)) await clock.sleep(limits.pollMs / 2)
    await this.gone('ended while another control plane was its parent')
  }

  private answered(status: Status): void {
    const { kind, log, clock } = this.options
    const before = { isReady: this.isReady, isDraining: this.isDraining() }
    this.isResting = this.status !== null && kind.hasRested?.(this.status, status) === true
    this.status = status
    if (!kind.isWell(status)) {
      this.missed()
      return
    }
    this.misses = 0
    this.silentSinceMs = null
    if (this.phase === 'starting') {
      kind.greet?.(this.spec, status, log)
      this.servedSinceMs = clock.now()
      this.enter('serving')
    } else if (before.isReady !== this.isReady || before.isDraining !== this.isDraining()) this.changed(this)
  }

  private missed(): void {
    if (this.phase !== 'serving') return
    this.misses += 1
    // Silence counts from the first miss, not from the last answer: while the machine slept, nothing was asked.
    this.silentSinceMs ??= this.options.clock.now()
    if (this.misses === 1 || this.misses === missesUntilSilent) this.changed(this)
  }

  private async gone(how: string): Promise<void> {
    if (this.over.signal.aborted) return
    this.over.abort()
    this.client.close()
    if (this.phase !== 'ending') this.failure = how
    // Callers must stop sending work before the log is read.
    this.changed(this)
    const [words] = await Promise.all([
      this.failure === '' ? '' : readLastWords(join(this.spec.workDir, this.options.kind.logFile)),
      rm(this.spec.socketPath, { force: true }).catch(() => undefined),
    ])
    if (words !== '') this.failure += `: ${words}`
    this.enter('gone')
  }

  private wasAskedToEnd(): boolean {
    return this.phase === 'ending'
  }

  private enter(phase: WorkerProcess<Spec, Status>['phase']): void {
    this.phase = phase
    this.sinceMs = this.options.clock.now()
    this.leaveStart()
    this.changed(this)
  }

  /** Undefined = the process has not answered yet. */
  private isDraining(): boolean | undefined {
    return this.status === null ? undefined : this.options.kind.isDraining(this.status)
  }
}
