import fc from 'fast-check'
import { expect, it } from 'vitest'
import { findSuperseded } from '../../../../stored/chain/superseded.ts'
import { runsToTry } from '../../../case-count.ts'

interface Piece {
  readonly index: number
  readonly lines: readonly string[]
}

async function* pagesOf(pieces: readonly Piece[]) {
  for (const { index, lines } of pieces)
    yield { index, text: Buffer.from(lines.map((line) => `${line}\n`).join('')) }
}

/** The lines that do not count, as `page:line`. */
const foundIn = async (pieces: readonly Piece[]) =>
  [...(await findSuperseded(pagesOf(pieces), 'id'))].flatMap(([page, lines]) =>
    [...lines.keys()].map((line) => `${page}:${line}`),
  )

it('counts the lines of a page on over its pieces', async () => {
  const pieces = [1, 2, 3, 1, 2, 1].map((id) => ({ index: 4, lines: [`{"id":${id}}`] }))
  expect((await foundIn(pieces)).toSorted()).toEqual(['4:0', '4:1', '4:3'])
})

it('finds every line whose id, or whose bytes without an id, a later line has', async () => {
  const line = fc.oneof(
    fc.record({ id: fc.nat(6), n: fc.nat(3) }).map((document) => JSON.stringify(document)),
    fc.nat(6).map((id) => `{"id":"\\u006b${id}"}`),
    fc.nat(6).map((id) => `{ "n":1, "id":"k${id}"}`),
    fc.nat(3).map((n) => `{"id":null,"n":${n}}`),
  )
  const keyOf = (text: string) => JSON.stringify(JSON.parse(text).id ?? text)
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(line)), async (pages) => {
      const all = pages.flatMap((lines, index) =>
        lines.map((text, at) => ({ key: keyOf(text), place: `${index}:${at}` })),
      )
      const last = new Map(all.map(({ key, place }) => [key, place]))
      const expected = all.filter(({ key, place }) => last.get(key) !== place).map(({ place }) => place)
      const found = await foundIn(pages.map((lines, index) => ({ index, lines })))
      expect(found.toSorted()).toEqual(expected.toSorted())
    }),
    { numRuns: runsToTry(100) },
  )
})

it('finds them among more lines than fit into its blocks in memory', async () => {
  const lines = Array.from({ length: 60_000 }, (_, id) => `{"id":${id % 40_000}}`)
  const found = await findSuperseded(pagesOf([{ index: 0, lines }]), 'id')
  expect([...(found.get(0)?.keys() ?? [])].toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: 20_000 }, (_, line) => line),
  )
})
