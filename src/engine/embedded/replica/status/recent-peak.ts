/** The largest value of the last minute. */
export interface RecentPeak {
  saw(value: number): void
  /** 0 = no value in the last minute. */
  value(): number
}

const recentMs = 60_000

export function createRecentPeak(nowMs: () => number = () => performance.now()): RecentPeak {
  /** Oldest first, each larger than all later ones. */
  let peaks: { atMs: number; value: number }[] = []

  function forgetOld(): void {
    const fromMs = nowMs() - recentMs
    peaks = peaks.filter(({ atMs }) => atMs > fromMs)
  }

  return {
    saw(value) {
      forgetOld()
      peaks = [...peaks.filter((peak) => peak.value > value), { atMs: nowMs(), value }]
    },
    value() {
      forgetOld()
      return peaks[0]?.value ?? 0
    },
  }
}
