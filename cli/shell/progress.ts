import { formatCount } from './format.ts'

export interface Progress {
  /** `total` is null while it is unknown. */
  show(done: number, total: number | null, remark?: string): void
  end(): void
}

const barWidth = 30
const defaultColumns = 80
const minColumns = 20

/**
 * One line that is overwritten on a terminal, and one plain line per 10% elsewhere. The bar of @clack/prompts does not
 * fit: it reads the keyboard and exits the process with code 0 on Ctrl-C, before a command has cleaned up.
 */
export function progressBar(title: string, out: NodeJS.WriteStream): Progress {
  let shownTenths = -2
  let shownRemark = ''
  let isOpen = false
  return {
    show(done, total, remark = '') {
      const part = total === null ? 0 : total === 0 ? 1 : Math.min(1, done / total)
      const percent = total === null ? '' : `${String(Math.floor(part * 100)).padStart(3)}%  `
      const counts = total === null ? formatCount(done) : `${formatCount(done)} of ${formatCount(total)}`
      const text = [`${percent}${counts}`, remark].filter(Boolean).join('  ')
      if (out.isTTY) {
        const filled = Math.round(part * barWidth)
        const bar = `${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)}`
        // A line that wraps cannot be overwritten.
        const columns = Math.max(minColumns, (out.columns || defaultColumns) - 1)
        out.write(`\r\x1b[2K${`${title}  ${bar}  ${text}`.slice(0, columns)}`)
        isOpen = true
        return
      }
      const tenths = total === null ? -1 : Math.floor(part * 10)
      if (tenths <= shownTenths && remark === shownRemark) return
      shownTenths = Math.max(tenths, shownTenths)
      shownRemark = remark
      out.write(`${title}  ${text}\n`)
    },
    end() {
      if (isOpen) out.write('\n')
      isOpen = false
    },
  }
}
