import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ComparisonFailed } from '../../../../functions/compare/failure.ts'
import { SavedLines } from '../../../../functions/compare/read/saved-lines.ts'

let saved: SavedLines

beforeEach(() => {
  saved = new SavedLines()
})
afterEach(() => saved[Symbol.dispose]())

describe('the lines that are saved while snapshots are read', () => {
  it('are found by their page and line', () => {
    const positions = [0, 1, 2, 5].flatMap((page) => [0, 3, 4, 9].map((line) => [page, line] as const))
    for (const [page, line] of positions) saved.save(page, line, Buffer.from(`${page}.${line}`))
    saved.flush()
    expect(positions.map(([page, line]) => saved.has(page, line))).toEqual(positions.map(() => true))
    expect(positions.map(([page, line]) => String(saved.read(page, line)))).toEqual(
      positions.map(([page, line]) => `${page}.${line}`),
    )
  })

  it.each([
    [0, 0],
    [0, 2],
    [0, 4],
    [1, 1],
    [2, 0],
  ])('do not include other lines: page %i, line %i', (page, line) => {
    saved.save(0, 1, Buffer.from('a'))
    saved.save(0, 3, Buffer.from('b'))
    saved.save(1, 0, Buffer.from('c'))
    expect(saved.has(page, line)).toBe(false)
  })

  it('may be large', () => {
    const document = Buffer.alloc(1_000, 'x')
    for (let line = 0; line < 3; line++) saved.save(0, line, document)
    saved.flush()
    expect(saved.read(0, 2).equals(document)).toBe(true)
  })

  it('cannot be saved any more once their file is closed', () => {
    const closed = new SavedLines()
    closed[Symbol.dispose]()
    closed.save(0, 0, Buffer.from('a'))
    expect(() => closed.flush()).toThrow(ComparisonFailed)
  })

  it('are none at first', () => {
    expect(saved.has(0, 0)).toBe(false)
  })
})
