import { expect, it } from 'vitest'
import { shareText, shownSample } from '../../../../console/page/model/review.ts'

it.each([
  [0, 3, '0%'],
  [1, 3, '33%'],
  [2, 3, '67%'],
  [3, 3, '100%'],
])('%i of %i documents are %s', (missing, before, text) => {
  expect(shareText({ value: '', missing, before })).toBe(text)
})

it('cuts off long documents', () => {
  const [short, long] = ['x'.repeat(200), 'y'.repeat(201)]
  expect(shownSample([short, long])).toEqual([short, `${'y'.repeat(199)}…`])
})
