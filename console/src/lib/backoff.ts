const secondsOfAttempts = [1, 2, 4, 8, 15]

/** How long to wait before the try after `attempt` failed ones: 1, 2, 4, 8, then always 15 s. */
export const retryDelayMs = (attempt: number): number =>
  1000 * (secondsOfAttempts[Math.min(attempt, secondsOfAttempts.length - 1)] ?? 15)
