/** The result of one benchmark: a table and its targets. */
export interface Report {
  readonly title: string
  readonly columns: readonly string[]
  readonly rows: readonly (readonly string[])[]
  readonly targets: readonly Target[]
  readonly notes?: readonly string[]
}

export interface Target {
  /** What is measured and its limit. */
  readonly goal: string
  readonly measured: string
  readonly met: boolean
}

/** `limit`: a number and its unit, such as `300 s`; `x` for a ratio. */
export const atMost = (goal: string, measured: number, limit: string): Target => ({
  goal: `${goal} <= ${limit}`,
  measured: measuredText(measured, limit),
  met: measured <= Number.parseFloat(limit),
})

export const atMostHalf = (goal: string, peakMegabytes: number, memoryMegabytes: number): Target =>
  atMost(goal, peakMegabytes, `${memoryMegabytes / 2} MB`)

export const atLeast = (goal: string, measured: number, limit: string): Target => ({
  goal: `${goal} >= ${limit}`,
  measured: measuredText(measured, limit),
  met: measured >= Number.parseFloat(limit),
})

const measuredText = (measured: number, limit: string) =>
  [figure(measured), ...limit.split(' ').slice(1)].join(' ')

export function format({ title, columns, rows, targets, notes = [] }: Report): string {
  const widths = columns.map((name, at) => Math.max(name.length, ...rows.map((row) => row[at]?.length ?? 0)))
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('   ')
      .trimEnd()
  return [
    `\n${title}\n`,
    line(columns),
    ...rows.map(line),
    '',
    ...targets.map(({ goal, measured, met }) => `  ${met ? 'met    ' : 'NOT MET'}  ${goal}: ${measured}`),
    ...notes.map((note) => `  ${note}`),
  ].join('\n')
}

/** Three significant digits. */
export function figure(value: number): string {
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en')
  return value.toFixed(Math.abs(value) >= 10 ? 1 : Math.abs(value) >= 0.1 ? 2 : 4)
}

export const count = (value: number): string => value.toLocaleString('en')

export function median(values: readonly number[]): number {
  return percentile(values, 50)
}

export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? Number.NaN
}

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
