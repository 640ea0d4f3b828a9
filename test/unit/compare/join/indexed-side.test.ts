import { expect, it } from 'vitest'
import { entryWords, lineWord, pageWord } from '../../../../functions/compare/join/entries.ts'
import { IndexedSide } from '../../../../functions/compare/join/indexed-side.ts'
import type { Entries } from '../../../../functions/documents/entries.ts'

const documents = (count: number, value: number) =>
  Array.from({ length: count }, (_, id) => `{"id":"${id}","v":${value}}`)

it('withheld documents are indexed page by page', async () => {
  using side = new IndexedSide()
  const count = 50
  async function* pages() {
    for (let index = 3; index < 8; index++)
      yield {
        index,
        text: Buffer.from(
          documents(count, index)
            .map((line) => `${line}\n`)
            .join(''),
        ),
      }
  }
  expect(await side.addPages(pages(), Buffer.from('id'))).toBe(5 * count)
  expect(placesOf(side.entries)).toEqual(
    new Set([3, 4, 5, 6, 7].flatMap((page) => [...Array(count).keys()].map((line) => `${page}.${line}`))),
  )
  expect(String(side.saved.read(side.saved.numberOf(7, 49) ?? -1))).toBe('{"id":"49","v":7}')
})

function placesOf(entries: Entries): Set<string> {
  const places: string[] = []
  for (let bucket = 0; bucket < 256; bucket++)
    for (const block of entries.blocks(bucket))
      for (let at = 0; at < block.length; at += entryWords)
        places.push(`${block[at + pageWord]}.${block[at + lineWord]}`)
  return new Set(places)
}
