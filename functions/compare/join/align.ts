import { hasSameBytes, type Line, type LineWindow, maxLookAhead } from '../read/line-window.ts'

/** Receives each line once: together with the equal line of the other snapshot, or alone. */
export interface AlignedLines {
  readonly same: (base: Line, target: Line) => void
  readonly onlyInBase: (base: Line) => void
  readonly onlyInTarget: (target: Line) => void
}

/** After this many different lines in a row, the snapshots are taken to have different orders. */
const maxMisses = 1_000

/**
 * Reads two snapshots concurrently and finds lines that are equal. Most documents do not change and most snapshots keep
 * their order, so this avoids most of the work. A pair of equal lines that it misses causes more work but no wrong
 * result.
 */
export async function alignLines(base: LineWindow, target: LineWindow, lines: AlignedLines): Promise<void> {
  let misses = 0
  for (;;) {
    await base.fill()
    await target.fill()
    if (!base.hasLine && !target.hasLine) return
    while ((base.hasLine || target.hasLine) && !base.isLow && !target.isLow) {
      const [before, after] = [base.line(0), target.line(0)]
      if (before && after && hasSameBytes(before, after)) {
        lines.same(before, after)
        base.advance()
        target.advance()
        misses = 0
        continue
      }
      const shift = misses < maxMisses ? findShift(base, target) : { base: 1, target: 1 }
      misses++
      pass(base, shift.base, lines.onlyInBase)
      pass(target, shift.target, lines.onlyInTarget)
    }
  }
}

/** How many lines each snapshot has before the next equal ones; one each if none are near. */
function findShift(base: LineWindow, target: LineWindow): { base: number; target: number } {
  const [before, after] = [base.line(0), target.line(0)]
  // Most documents that differ were updated in place. This avoids searching for them.
  const [nextBefore, nextAfter] = [base.line(1), target.line(1)]
  if (nextBefore && nextAfter && hasSameBytes(nextBefore, nextAfter)) return { base: 1, target: 1 }
  for (let ahead = 1; before && after && ahead <= maxLookAhead; ahead++) {
    const [laterBefore, laterAfter] = [base.line(ahead), target.line(ahead)]
    if (laterBefore && hasSameBytes(laterBefore, after)) return { base: ahead, target: 0 }
    if (laterAfter && hasSameBytes(before, laterAfter)) return { base: 0, target: ahead }
  }
  return { base: 1, target: 1 }
}

function pass(window: LineWindow, count: number, add: (line: Line) => void): void {
  for (let passed = 0; passed < count; passed++) {
    const line = window.line(0)
    if (!line) return
    add(line)
    window.advance()
  }
}
