import { expect, it } from 'vitest'
import { fittingLabels } from '../../../../console/client/model/fitting-labels.ts'

/** Labels of a width, 100 pixels apart, on an axis of 350 pixels. */
const shown = (width: number) =>
  fittingLabels(
    [0, 100, 200, 300].map((left) => ({ left, right: left + width })),
    { left: 0, right: 350 },
  )

it.each([
  ['all labels if they fit', 50, [true, true, true, true]],
  ['no label that ends after the axis', 51, [true, true, true, false]],
  ['labels that touch', 100, [true, true, true, false]],
  ['every second label if all would overlap', 101, [true, false, true, false]],
  ['labels that overlap only one that is left out', 150, [true, false, true, false]],
  ['the first label alone if it is longer than half of the axis', 201, [true, false, false, false]],
  ['no label that is longer than the axis', 351, [false, false, false, false]],
])('an axis shows %s', (_, width, expected) => expect(shown(width)).toEqual(expected))

it('an axis without labels shows none', () => expect(fittingLabels([], { left: 0, right: 350 })).toEqual([]))

it('an axis shows no label that begins before it', () => {
  const labels = [-1, 40].map((left) => ({ left, right: left + 30 }))
  expect(fittingLabels(labels, { left: 0, right: 100 })).toEqual([false, true])
})
