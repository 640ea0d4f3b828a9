import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SavedLines } from '../../../../functions/compare/read/saved-lines.ts'

let saved: SavedLines

beforeEach(() => {
  saved = new SavedLines()
})
afterEach(() => saved[Symbol.dispose]())

const textOf = (page: number, line: number) => String(saved.read(saved.numberOf(page, line) ?? -1))

describe('the lines that are saved while snapshots are read', () => {
  it('are found by their page and line', () => {
    const positions = [0, 1, 2, 5].flatMap((page) => [0, 3, 4, 9].map((line) => [page, line] as const))
    for (const [page, line] of positions) saved.save(page, line, Buffer.from(`${page}.${line}`))
    expect(positions.map(([page, line]) => textOf(page, line))).toEqual(
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
    expect(saved.numberOf(page, line)).toBeUndefined()
  })

  it('may be large', () => {
    const document = Buffer.alloc(1_000, 'x')
    for (let line = 0; line < 3; line++) saved.save(0, line, document)
    expect(textOf(0, 2)).toBe(String(document))
  })

  it('can be read by their numbers together with lines that are kept later', () => {
    saved.save(0, 1, Buffer.from('a'))
    const number = saved.keep(Buffer.from('b'))
    expect([String(saved.read(number)), textOf(0, 1)]).toEqual(['b', 'a'])
    expect(saved.numberOf(0, 2)).toBeUndefined()
  })

  it('are none at first', () => {
    expect(saved.numberOf(0, 0)).toBeUndefined()
  })
})
