import { describe, expect, it } from 'vitest'
import { hasSameBytes, LineWindow, PageLines } from '../../../../functions/compare/read/line-window.ts'

const idField = Buffer.from('id')

/** Pages of the given texts. Counts how many were read. */
function pagesOf(texts: readonly string[]) {
  const pages = { read: 0 }
  async function* read() {
    for (const [index, text] of texts.entries()) {
      pages.read++
      yield { index, text: Buffer.from(text) }
    }
  }
  return { pages, window: new LineWindow(read(), idField) }
}

function textOf(window: LineWindow, ahead: number): string | undefined {
  const found = window.line(ahead)
  return found?.page.text.toString('utf8', found.page.start(found.line), found.page.end(found.line))
}

const lines = (from: number, count: number) =>
  Array.from({ length: count }, (_, at) => `{"id":${from + at}}\n`).join('')

describe('the window on the lines of a snapshot', () => {
  it('shows the lines of all pages in order, without pages that are empty', async () => {
    const { window } = pagesOf([lines(0, 2), '', lines(2, 1), '', lines(3, 2)])
    const seen: (string | undefined)[] = []
    const places: unknown[] = []
    for (await window.fill(); window.hasLine; window.advance()) {
      seen.push(textOf(window, 0))
      places.push([window.line(0)?.page.index, window.line(0)?.line])
    }
    expect(seen).toEqual([0, 1, 2, 3, 4].map((id) => `{"id":${id}}`))
    expect(places).toEqual([
      [0, 0],
      [0, 1],
      [2, 0],
      [4, 0],
      [4, 1],
    ])
  })

  it('sees later lines, and nothing after the last one', async () => {
    const { window } = pagesOf([lines(0, 2), lines(2, 2)])
    await window.fill()
    window.advance()
    expect([0, 1, 2, 3].map((ahead) => textOf(window, ahead))).toEqual([
      '{"id":1}',
      '{"id":2}',
      '{"id":3}',
      undefined,
    ])
  })

  it('reads no more pages than it needs to see 64 lines ahead', async () => {
    const { pages, window } = pagesOf([lines(0, 60), lines(60, 5), lines(65, 100)])
    expect(window.isLow).toBe(true)
    await window.fill()
    expect(pages.read).toBe(2)
    expect(window.isLow).toBe(false)
    window.advance()
    expect(window.isLow).toBe(true)
    await window.fill()
    expect(pages.read).toBe(3)
    expect(textOf(window, 64)).toBe('{"id":65}')
  })

  it('has no line if there are no pages', async () => {
    const { window } = pagesOf([])
    await window.fill()
    expect([window.hasLine, window.isLow, window.line(0)]).toEqual([false, false, undefined])
  })

  it('frees the memory of a page after its last line', async () => {
    const text = Buffer.from(new ArrayBuffer(18))
    text.write(lines(0, 2))
    async function* pages() {
      yield { index: 0, text }
    }
    const window = new LineWindow(pages(), idField)
    await window.fill()
    window.advance()
    expect(text.length).toBe(18)
    window.advance()
    expect(text.length).toBe(0)
  })
})

describe('the comparison of two lines', () => {
  const long = 'x'.repeat(60)
  const at = (text: string) => ({
    page: new PageLines({ index: 0, text: Buffer.from(text) }, idField),
    line: 1,
  })

  it.each([
    ['equal', [`a\n${long}\n`, `bbb\n${long}\n`], true],
    ['equal, the last one without a line feed', [`a\n${long}`, `bbb\n${long}\n`], true],
    ['empty', ['a\n\n', 'bbb\n\n'], true],
    ['short and equal', ['a\n{}\nxx', 'bbb\n{}\nyyy'], true],
    ['short and equal, the last one without a line feed', ['a\n{}', 'bbb\n{}\n'], true],
    ['different in the first byte', [`a\ny${long}\n`, `a\nx${long}\n`], false],
    ['different in a late byte', [`a\n${long}x\n`, `a\n${long}y\n`], false],
    ['of different length', [`a\n${long}\n`, `a\n${long}x\n`], false],
  ])('finds them %s', (_, [one = '', other = ''], expected) => {
    expect(hasSameBytes(at(one), at(other))).toBe(expected)
    expect(hasSameBytes(at(other), at(one))).toBe(expected)
  })
})
