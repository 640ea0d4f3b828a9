import { grouped } from './format.ts'

export interface Progress {
  /** `total` is null as long as nobody knows it. */
  show(done: number, total: number | null, remark?: string): void
  end(): void
}

const barWidth = 30

/**
 * One line that moves on a terminal; elsewhere a plain line for each tenth. Our own, because that of @clack/prompts
 * takes the keyboard and ends the process by itself on Ctrl-C, as if all were well and before we have cleaned up.
 */
export function progressBar(title: string, out: NodeJS.WriteStream): Progress {
  let shownTenths = -2
  let shownRemark = ''
  let isOpen = false
  return {
    show(done, total, remark = '') {
      const part = total === null ? 0 : total === 0 ? 1 : Math.min(1, done / total)
      const percent = total === null ? '' : `${String(Math.floor(part * 100)).padStart(3)}%  `
      const counts = total === null ? grouped(done) : `${grouped(done)} of ${grouped(total)}`
      const text = [`${percent}${counts}`, remark].filter(Boolean).join('  ')
      if (out.isTTY) {
        const filled = Math.round(part * barWidth)
        const bar = `${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)}`
        // A line that wraps could not be written over.
        out.write(`\r\x1b[2K${`${title}  ${bar}  ${text}`.slice(0, Math.max(20, (out.columns || 80) - 1))}`)
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
