/** What every measured process tells of itself. */
export interface Figures {
  readonly seconds: number
  /** Of its whole life, its start included. */
  readonly cpuSeconds: number
  /** Resident memory of the whole process at its highest. */
  readonly peakMegabytes: number
}

/** Sends the figures since `startedAt` (of `performance.now()`) to the bench and ends. */
export function report(startedAt: number, more: object = {}): void {
  const seconds = (performance.now() - startedAt) / 1000
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage()
  const figures: Figures = {
    seconds,
    cpuSeconds: (userCPUTime + systemCPUTime) / 1e6,
    peakMegabytes: maxRSS / 1024,
  }
  process.send?.({ ...figures, ...more }, () => process.exit())
}
