import { describe, expect, it } from 'vitest'
import { progressBar } from '../../../cli/shell/progress.ts'

type Step = readonly [done: number, total: number | null, remark?: string]

function shownOn({ isTTY, columns }: { isTTY: boolean; columns?: number }, steps: readonly Step[]): string {
  let text = ''
  const write = (chunk: string) => {
    text += chunk
    return true
  }
  const bar = progressBar('CL', { isTTY, columns, write } as NodeJS.WriteStream)
  for (const step of steps) bar.show(...step)
  bar.end()
  return text
}

describe('progress', () => {
  it('moves in one line on a terminal', () => {
    const text = shownOn({ isTTY: true }, [
      [0, null],
      [50, 100],
      [100, 100],
    ])
    expect(text.split('\n')).toHaveLength(2)
    expect(text).toContain(`CL  ${'█'.repeat(15)}${'░'.repeat(15)}   50%  50 of 100`)
  })

  it('never takes a second line of a terminal, which could not be written over', () => {
    const [line = ''] = shownOn({ isTTY: true, columns: 40 }, [[50, 100, 'waiting, '.repeat(20)]]).split('\n')
    // Without what moves to the line's beginning and clears it.
    expect(line.slice('\r\x1b[2K'.length)).toHaveLength(39)
  })

  it('is a plain line for each tenth elsewhere', () => {
    const steps = Array.from({ length: 101 }, (_, done): Step => [done, 100])
    const lines = shownOn({ isTTY: false }, steps).trimEnd().split('\n')
    expect(lines).toHaveLength(11)
    expect(lines.at(-1)).toBe('CL  100%  100 of 100')
  })

  it('says a remark once, when it is new', () => {
    const steps: Step[] = [
      [1, 100],
      [2, 100, 'attempt 2'],
      [3, 100, 'attempt 2'],
    ]
    expect(shownOn({ isTTY: false }, steps)).toBe('CL    1%  1 of 100\nCL    2%  2 of 100  attempt 2\n')
  })
})
