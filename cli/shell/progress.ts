import { formatCount } from './format.ts'

export interface Progress {
  /** `total` is null while it is unknown. */
  show(done: number, total: number | null, remark?: Remark): void
  end(): void
}

export interface Remark {
  /** Shown everywhere; without a terminal, a new line is printed when it changes. */
  readonly state: string
  /** Changes all the time, so it is shown on terminals only. */
  readonly pace: string
}

const noRemark: Remark = { state: '', pace: '' }
const barWidth = 30
const defaultColumns = 80
const minColumns = 20

/**
 * One line that is overwritten on a terminal, and one plain line per 10% elsewhere. The bar of @clack/prompts does not
 * fit: it reads the keyboard and exits the process with code 0 on Ctrl-C, before a command has cleaned up.
 */
export function progressBar(title: string, out: NodeJS.WriteStream): Progress {
  let shownTenths = -2
  let shownState = ''
  let isOpen = false
  return {
    show(done, total, { state, pace } = noRemark) {
      const part = total === null ? 0 : total === 0 ? 1 : Math.min(1, done / total)
      const percent = total === null ? '' : `${String(Math.floor(part * 100)).padStart(3)}%  `
      const counts = total === null ? formatCount(done) : `${formatCount(done)} of ${formatCount(total)}`
      if (out.isTTY) {
        const filled = Math.round(part * barWidth)
        const bar = `${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)}`
        // A line that wraps cannot be overwritten.
        const columns = Math.max(minColumns, (out.columns || defaultColumns) - 1)
        const text = joined(title, bar, `${percent}${counts}`, pace, state)
        out.write(`\r\x1b[2K${text.slice(0, columns)}`)
        isOpen = true
        return
      }
      const tenths = total === null ? -1 : Math.floor(part * 10)
      if (tenths <= shownTenths && state === shownState) return
      shownTenths = Math.max(tenths, shownTenths)
      shownState = state
      out.write(`${joined(title, `${percent}${counts}`, state)}\n`)
    },
    end() {
      if (isOpen) out.write('\n')
      isOpen = false
    },
  }
}

function joined(...parts: readonly string[]): string {
  return parts.filter(Boolean).join('  ')
}
