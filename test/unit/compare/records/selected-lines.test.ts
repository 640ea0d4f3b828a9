import { describe, expect, it } from 'vitest'
import { SelectedLines } from '../../../../stored/join/selected-lines.ts'

type Selected = readonly [page: number, line: number, purpose: number]

function sorted(pageCount: number, selection: readonly Selected[]): Selected[] {
  const selected = new SelectedLines()
  for (const [page, line, purpose] of selection) selected.add(page, line, purpose)
  const lines = selected.sorted(pageCount)
  return lines
    .pages()
    .flatMap((page) => [...lines.ofPage(page)].map(({ line, purpose }) => [page, line, purpose] as const))
}

describe('the selected lines of a snapshot', () => {
  it('are sorted by page and line and keep their purposes', () => {
    const selection: Selected[] = [
      [3, 7, 2],
      [0, 2 ** 20, 2 ** 32 - 1],
      [3, 0, 0],
      [0, 5, 1],
      [1, 9, 4],
    ]
    expect(sorted(5, selection)).toEqual([
      [0, 5, 1],
      [0, 2 ** 20, 2 ** 32 - 1],
      [1, 9, 4],
      [3, 0, 0],
      [3, 7, 2],
    ])
  })

  it('name the pages that have any', () => {
    const selected = new SelectedLines()
    for (const page of [3, 1, 3]) selected.add(page, 0, 0)
    expect(selected.sorted(5).pages()).toEqual([1, 3])
  })

  it('are none without a selection', () => {
    expect(sorted(3, [])).toEqual([])
  })

  it('may be every line of many pages', () => {
    const pages = 41
    const perPage = 100
    const all = Array.from({ length: pages * perPage }, (_, at): Selected => [at % pages, at, at + 2])
    const expected = all.toSorted(([page, line], [other, later]) => page - other || line - later)
    expect(sorted(pages, all.toReversed())).toEqual(expected)
  })
})
