import { describe, expect, it } from 'vitest'
import type { ProgressBar, Remark } from '../../../operator/text/progress.ts'
import { barLines, progressBar, progressBars } from '../../../operator/text/progress.ts'

type Step = readonly [done: number, total: number | null, remark?: Remark]

interface Screen {
  readonly isTTY: boolean
  readonly columns?: number
}

function outputOn(screen: Screen, steps: readonly Step[]): string {
  const { out, written } = streamOf(screen)
  const bar = progressBar('CL', out)
  for (const step of steps) bar.show(...step)
  bar.end()
  return written.text
}

function streamOf(screen: Screen) {
  const written = { text: '' }
  const write = (chunk: string) => {
    written.text += chunk
    return true
  }
  return { out: { ...screen, write } as NodeJS.WriteStream, written }
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
    expect(line.slice('\r\x1b[0J'.length)).toHaveLength(39)
  })

  it('leaves the numbers, the speed and the state on a narrow terminal', () => {
    const text = outputOn({ isTTY: true, columns: 60 }, [
      [2_000, 3_000, { state: 'attempt 2', pace: '1,234/s' }],
    ])
    expect(text).toContain(' 66%  2,000 of 3,000  1,234/s  attempt 2\n')
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
    expect(
      outputOn({ isTTY: false }, [
        [0, null],
        [5, null],
      ]),
    ).toBe('CL  0\n')
    expect(
      outputOn({ isTTY: false }, [
        [0, null],
        [0, 100],
      ]),
    ).toBe('CL  0\nCL    0%  0 of 100\n')
    expect(outputOn({ isTTY: false }, steps)).toBe('CL    1%  1 of 100\nCL    2%  2 of 100  attempt 2\n')
  })
})

describe('several progress bars', () => {
  const barOf = (title: string, done: number): ProgressBar => ({
    title,
    done,
    total: 10,
    remark: { state: '', pace: '' },
  })

  it('are overwritten together on a terminal, in one column, also when their number changes', () => {
    const { out, written } = streamOf({ isTTY: true })
    const bars = progressBars(out)
    bars.end()
    bars.show([barOf('CL', 0)])
    bars.show([barOf('CL', 5), barOf('CL range 1', 5)])
    bars.show([barOf('CL', 10)])
    bars.end()
    bars.end()
    const bar = (filled: number) => `${'█'.repeat(filled)}${'░'.repeat(30 - filled)}`
    expect(written.text).toBe(
      `\r\x1b[0JCL  ${bar(0)}    0%  0 of 10` +
        `\r\x1b[0JCL          ${bar(15)}   50%  5 of 10\nCL range 1  ${bar(15)}   50%  5 of 10` +
        `\x1b[1A\r\x1b[0JCL  ${bar(30)}  100%  10 of 10\n`,
    )
  })

  it('print one plain line per 10% of each bar without a terminal', () => {
    const { out, written } = streamOf({ isTTY: false })
    const bars = progressBars(out)
    bars.show([barOf('CL', 1), barOf('CL range 1', 0)])
    bars.show([barOf('CL', 1), barOf('CL range 1', 10)])
    bars.end()
    expect(written.text).toBe('CL   10%  1 of 10\nCL range 1    0%  0 of 10\nCL range 1  100%  10 of 10\n')
  })
})

it.each([
  [0, null, 0, '0'],
  [1200, null, 0, '1,200'],
  [0, 0, 30, '100%  0 of 0'],
  [0, 10, 0, '  0%  0 of 10'],
  [999, 1000, 30, ' 99%  999 of 1,000'],
  [1, 2, 15, ' 50%  1 of 2'],
  [3, 2, 30, '100%  3 of 2'],
])('fills the bar of %i of %j documents', (...[done, total, filled, counts]) => {
  const remark = { state: 'attempt 2', pace: '10/s' }
  expect(barLines([{ title: 'CL', done, total, remark }])).toEqual([
    `CL  ${'█'.repeat(filled)}${'░'.repeat(30 - filled)}  ${counts}  10/s  attempt 2`,
  ])
})
