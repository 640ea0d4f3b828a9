const barWidth = 30

/** Shows how far something has come: one line that moves on a terminal, a plain line for every tenth elsewhere. */
export function progressBar(out: NodeJS.WriteStream = process.stdout) {
  let shownTenths = -1
  return {
    /** `total` is missing as long as nobody knows it. */
    show(done: number, total: number | null) {
      const part = total ? Math.min(1, done / total) : 0
      const counts = total === null ? grouped(done) : `${grouped(done)} of ${grouped(total)}`
      const percent = total === null ? '' : `${String(Math.floor(part * 100)).padStart(3)}%  `
      if (out.isTTY) {
        const filled = Math.round(part * barWidth)
        out.write(`\r\x1b[2K  ${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)}  ${percent}${counts}`)
      } else if (done > 0 && Math.floor(part * 10) > shownTenths) {
        shownTenths = Math.floor(part * 10)
        out.write(`  ${percent}${counts}\n`)
      }
    },
    end() {
      if (out.isTTY) out.write('\n')
    },
  }
}

const grouped = (count: number) => count.toLocaleString('en')
