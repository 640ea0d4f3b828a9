import { describe, expect, it } from 'vitest'
import { alignLines } from '../../../../functions/compare/join/align.ts'
import { type Line, LineWindow } from '../../../../functions/compare/read/line-window.ts'

const names = (prefix: string, count: number) => Array.from({ length: count }, (_, at) => `${prefix}${at}`)
const documentOf = (name: string) => `{"id":"${name}"}`
const nameOf = ({ page, line }: Line) =>
  (JSON.parse(page.text.toString('utf8', page.start(line), page.end(line))) as { id: string }).id

async function* pagesOf(lines: readonly string[], pageSize: number) {
  for (let at = 0; at < lines.length; at += pageSize) {
    const documents = lines.slice(at, at + pageSize).map((name) => `${documentOf(name)}\n`)
    yield { index: at / pageSize, text: Buffer.from(documents.join('')) }
  }
}

async function align(base: readonly string[], target: readonly string[], pageSize = 50) {
  const found = { same: [] as string[], base: [] as string[], target: [] as string[] }
  const idField = Buffer.from('id')
  await alignLines(
    new LineWindow(pagesOf(base, pageSize), idField),
    new LineWindow(pagesOf(target, 2 * pageSize), idField),
    {
      same(before, after) {
        expect(nameOf(before)).toBe(nameOf(after))
        found.same.push(nameOf(before))
      },
      onlyInBase: (line) => void found.base.push(nameOf(line)),
      onlyInTarget: (line) => void found.target.push(nameOf(line)),
    },
  )
  return found
}

describe('the alignment of two snapshots', () => {
  const all = names('k', 500)

  it('finds equal lines side by side', async () => {
    expect(await align(all, all)).toEqual({ same: all, base: [], target: [] })
  })

  it.each([
    ['first', 0],
    ['middle', 250],
    ['last', 500],
  ])('finds the others around removed and added lines: the %s', async (_, at) => {
    const added = names('new', 64)
    const longer = all.toSpliced(at, 0, ...added)
    expect(await align(all, longer)).toEqual({ same: all, base: [], target: added })
    expect(await align(longer, all)).toEqual({ same: all, base: added, target: [] })
  })

  it('finds the others around a changed line', async () => {
    const { same, base, target } = await align(all, all.with(100, 'changed'))
    expect(same).toEqual(all.toSpliced(100, 1))
    expect([base, target]).toEqual([['k100'], ['changed']])
  })

  it('looks 64 lines ahead', async () => {
    const longer = ['first', ...names('new', 64), ...all]
    const { same } = await align(all, longer)
    expect(same.length).toBeLessThan(all.length)
  })

  it.each([
    [[], all],
    [all, []],
    [[], []],
  ])('reports every line once if the snapshots have nothing in common (case %#)', async (base, target) => {
    expect(await align(base, target)).toEqual({ same: [], base, target })
  })

  it.each([
    [999, ['y', 'z']],
    [1000, []],
  ])('looks ahead until %i lines in a row differ', async (differing, same) => {
    const base = [...names('a', differing), 'x', 'y', 'z']
    const target = [...names('b', differing), 'y', 'z']
    expect((await align(base, target)).same).toEqual(same)
  })

  it('looks ahead again after lines that are equal', async () => {
    const base = [...names('a', 600), 'same', ...names('c', 600), 'x', 'y']
    const target = [...names('b', 600), 'same', ...names('d', 600), 'y']
    expect((await align(base, target)).same).toEqual(['same', 'y'])
  })
})
