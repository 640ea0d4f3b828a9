import type { Writable } from 'node:stream'
import { formatCount } from '../../functions/runtime/format.ts'
import { escapeLine } from '../../functions/runtime/hidden-characters.ts'

/** The members as a terminal has them. */
export type ProgressOutput = Writable & {
  readonly isTTY?: boolean
  readonly columns?: number
  readonly rows?: number
}

export interface ProgressDisplay {
  /** `total` is null while it is unknown. */
  show(done: number, total: number | null, remark?: Remark): void
  end(): void
}

/** Several bars below each other. Their number may change while they are shown. */
export interface ProgressBars {
  show(bars: readonly ProgressBar[]): void
  end(): void
}

export interface ProgressBar {
  /** Distinct among the bars that are shown together. */
  readonly title: string
  readonly done: number
  /** Null while it is unknown. */
  readonly total: number | null
  readonly remark: Remark
}

export interface Remark {
  /** Shown everywhere; without a terminal, a new line is printed when it changes. */
  readonly state: string
  /** Changes all the time, so it is shown on terminals only. */
  readonly pace: string
}

const noRemark: Remark = { state: '', pace: '' }
const maxBarWidth = 30
/** Of what is shown next to a bar, if it is long. */
const textWidth = 46
const defaultColumns = 80
const minColumns = 20

/** One bar, for work that has a single measure. */
export function progressBar(title: string, out: ProgressOutput): ProgressDisplay {
  const bars = progressBars(out)
  return {
    show: (done, total, remark = noRemark) => bars.show([{ title, done, total, remark }]),
    end: () => bars.end(),
  }
}

/**
 * Lines that are overwritten on a terminal, and one plain line per 10% of each bar elsewhere. The bar of @clack/prompts
 * does not fit: it reads the keyboard and exits the process with code 0 on Ctrl-C, before a command has cleaned up.
 */
export const progressBars = (out: ProgressOutput): ProgressBars =>
  out.isTTY ? overwrittenBars(out) : plainBars(out)

function overwrittenBars(out: ProgressOutput): ProgressBars {
  let shownLines = 0
  return {
    show(bars) {
      // A line that wraps cannot be overwritten.
      const columns = Math.max(minColumns, (out.columns || defaultColumns) - 1)
      const lines = barLines(bars, columns).map((line) => line.slice(0, columns))
      const toFirstLine = shownLines > 1 ? `\x1b[${shownLines - 1}A` : ''
      out.write(`${toFirstLine}\r\x1b[0J${lines.join('\n')}`)
      shownLines = lines.length
    },
    end() {
      if (shownLines > 0) out.write('\n')
      shownLines = 0
    },
  }
}

function plainBars(out: ProgressOutput): ProgressBars {
  const shown = new Map<string, { readonly tenths: number; readonly state: string }>()
  return {
    show(bars) {
      for (const { title, done, total, remark } of bars) {
        const tenths = total === null ? -1 : Math.floor(partOf(done, total) * 10)
        const before = shown.get(title) ?? { tenths: -2, state: '' }
        if (tenths <= before.tenths && remark.state === before.state) continue
        shown.set(title, { tenths: Math.max(tenths, before.tenths), state: remark.state })
        out.write(`${joined(title, countsText(done, total), escapeLine(remark.state))}\n`)
      }
    },
    end: () => undefined,
  }
}

/** `CL  ███░░░   50%  50 of 100  10/s  attempt 2`, with all bars in one column, which is narrower on a narrow terminal. */
export function barLines(bars: readonly ProgressBar[], columns = defaultColumns): string[] {
  const barWidth = Math.max(0, Math.min(maxBarWidth, columns - textWidth))
  const width = Math.max(...bars.map(({ title }) => title.length))
  return bars.map(({ title, done, total, remark: { pace, state } }) => {
    const filled = Math.round((total === null ? 0 : partOf(done, total)) * barWidth)
    const bar = `${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)}`
    return joined(title.padEnd(width), bar, countsText(done, total), pace, escapeLine(state))
  })
}

function countsText(done: number, total: number | null): string {
  if (total === null) return formatCount(done)
  const percent = String(Math.floor(partOf(done, total) * 100)).padStart(3)
  return `${percent}%  ${formatCount(done)} of ${formatCount(total)}`
}

/** 0 to 1. */
const partOf = (done: number, total: number) => (total === 0 ? 1 : Math.min(1, done / total))

const joined = (...parts: readonly string[]): string => parts.filter(Boolean).join('  ')
