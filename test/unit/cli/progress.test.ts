import { describe, expect, it } from 'vitest'
import { progressBar, type Remark } from '../../../cli/shell/progress.ts'

type Step = readonly [done: number, total: number | null, remark?: Remark]

function outputOn({ isTTY, columns }: { isTTY: boolean; columns?: number }, steps: readonly Step[]): string {
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

describe('the progress bar', () => {
  it('overwrites one line on a terminal', () => {
    const text = outputOn({ isTTY: true }, [
      [0, null],
      [50, 100],
      [100, 100],
    ])
    expect(text.split('\n')).toHaveLength(2)
    expect(text).toContain(`CL  ${'█'.repeat(15)}${'░'.repeat(15)}   50%  50 of 100`)
  })

  it('never wraps on a terminal', () => {
    const [line = ''] = outputOn({ isTTY: true, columns: 40 }, [
      [50, 100, { state: 'waiting, '.repeat(20), pace: '' }],
    ]).split('\n')
    expect(line.slice('\r\x1b[2K'.length)).toHaveLength(39)
  })

  it('prints one plain line per 10% without a terminal', () => {
    const steps = Array.from({ length: 101 }, (_, done): Step => [done, 100])
    const lines = outputOn({ isTTY: false }, steps).trimEnd().split('\n')
    expect(lines).toHaveLength(11)
    expect(lines.at(-1)).toBe('CL  100%  100 of 100')
  })

  it('shows speed and time left on a terminal', () => {
    const text = outputOn({ isTTY: true, columns: 120 }, [
      [50, 100, { state: 'attempt 2', pace: '10/s, 5 s left' }],
    ])
    expect(text).toContain('50 of 100  10/s, 5 s left  attempt 2')
  })

  it('prints the state once when it changes, and no speed, without a terminal', () => {
    const steps: Step[] = [
      [1, 100],
      [2, 100, { state: 'attempt 2', pace: '10/s' }],
      [3, 100, { state: 'attempt 2', pace: '20/s' }],
    ]
    expect(outputOn({ isTTY: false }, steps)).toBe('CL    1%  1 of 100\nCL    2%  2 of 100  attempt 2\n')
  })
})
