/** The figures that every measured process reports. */
export interface Figures {
  readonly seconds: number
  /** Of the whole process, including its start. */
  readonly cpuSeconds: number
  /** The peak of the resident memory of the process. */
  readonly peakMegabytes: number
}

/** Sends the figures since `startedAt` (from `performance.now()`) to the parent process and exits. */
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
