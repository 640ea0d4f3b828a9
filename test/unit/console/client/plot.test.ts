import { describe, expect, it } from 'vitest'
import type { PlotData } from '../../../../console/client/model/plot-data.ts'
import { axisLabels, plotSummary, verticalScale } from '../../../../console/client/model/plot-data.ts'
import { plotShape } from '../../../../console/client/model/plot-shape.ts'
import { scaleOf, secondSteps, wholeSteps } from '../../../../console/client/model/scale.ts'
import { plot } from './plot-data.ts'

describe('the vertical axis', () => {
  it.each<[name: string, change: Partial<PlotData>, labels: readonly string[]]>([
    ['one document count', { times: [0], values: [95] }, ['94', '95', '96']],
    ['no documents', { values: [0, 0] }, ['0', '1']],
    ['counts that differ by one', { values: [95, 96] }, ['94', '95', '96', '97']],
    ['large counts', { values: [1_000_000, 1_000_300] }, ['999,800', '1,000,000', '1,000,200', '1,000,400']],
    ['thousands', { values: [1, 12_000] }, ['0K', '5K', '10K', '15K']],
    ['millions', { values: [1, 3_900_000] }, ['0M', '1M', '2M', '3M', '4M']],
    ['one second', { unit: 'duration', values: [1, 1.4] }, ['0 s', '1 s', '2 s']],
    ['minutes', { unit: 'duration', values: [70, 100] }, ['0 s', '30 s', '1 min', '1 min 30 s', '2 min']],
    ['nothing', { times: [], values: [] }, ['0', '1']],
  ])('of %s has whole labels that differ', (_, change, labels) => {
    const shown = plot(change)
    expect(axisLabels(verticalScale(shown), shown.unit)).toEqual(labels)
  })

  it.each([
    [0, 4, wholeSteps, { min: 0, max: 4, step: 1, ticks: [0, 1, 2, 3, 4] }],
    [0, 5, wholeSteps, { min: 0, max: 6, step: 2, ticks: [0, 2, 4, 6] }],
    [7, 7, wholeSteps, { min: 7, max: 8, step: 1, ticks: [7, 8] }],
    [0, 3_601, secondSteps, { min: 0, max: 5_400, step: 1_800, ticks: [0, 1_800, 3_600, 5_400] }],
  ])('from %i to %i encloses both with equal steps', (...[min, max, steps, scale]) => {
    expect(scaleOf(min, max, steps)).toEqual(scale)
  })
})

describe('what is drawn', () => {
  const size = { width: 200, height: 180 }

  it('has a point for each value', () => {
    const { points, left, right } = plotShape(plot({ times: [0, 10], values: [94, 96] }), size)
    expect(points).toEqual([
      [left, 119],
      [right, 45],
    ])
  })

  it('has the labels of both axes and the line of the reference where their values are', () => {
    const shape = plotShape(
      plot({ times: [0, 1800, 3600], values: [90, 95, 100], reference: { label: 'median', value: 95 } }),
      { width: 480, height: 180 },
    )
    const first = shape.yTicks[0]
    expect([first?.at, shape.yTicks.at(-1)?.at]).toEqual([shape.bottom, 8])
    expect(shape.yTicks.map(({ text }) => text).every((text) => /^\d+$/.test(text))).toBe(true)
    expect(shape.left).toBe(12 + 7 * Math.max(...shape.yTicks.map(({ text }) => text.length)))
    expect(shape.reference).toBe(shape.points[1]?.[1])
    expect(shape.xTicks.map(({ at }) => at)).toEqual([33, 250.5])
    expect(plotShape(plot({ times: [0, 60], values: [1, 2] }), size).reference).toBeUndefined()
  })

  it.each([200, 340, 480, 1200])('cuts no label of the time axis in %i pixels', (width) => {
    for (const hours of [1, 24, 36, 168, 720]) {
      for (let end = 0; end < 48; end += 5) {
        const times = [end - hours, end].map((hour) => hour * 3600)
        const { xTicks } = plotShape(plot({ times, values: [1, 2] }), { width, height: 180 })
        const extents = xTicks.map(({ at, text }) => [at - 3.5 * text.length, at + 3.5 * text.length])
        expect(extents.flat()).toEqual(extents.flat().toSorted((one, other) => one - other))
        expect(extents.flat().every((edge) => edge >= 0 && edge <= width)).toBe(true)
      }
    }
  })

  it('marks runs without a value at their times', () => {
    const marks = [{ time: 30, text: 'refused', tone: 'warning' }] as const
    const shape = plotShape(plot({ marks }), size)
    expect(shape.marks).toEqual([{ time: 30, tone: 'warning', x: (shape.left + shape.right) / 2 }])
    expect(shape.moments.map(({ time }) => time)).toEqual([0, 30, 60])
  })
})

it('is summarized by its first and last values, its reference and its marks', () => {
  const mark = (text: string) => ({ time: 0, text, tone: 'warning' }) as const
  const shown = plot({
    values: [1, 5, 3],
    reference: { label: 'median', value: 2 },
    marks: [mark('refused'), mark('failed'), mark('refused')],
  })
  expect(plotSummary(shown)).toBe('Documents: 1 to 3; median: 2; refused: 2; failed: 1')
  expect(plotSummary(plot({ values: [] }))).toBe('Documents: no data')
})
