import { expect, it } from 'vitest'
import { Entries } from '../../../../stored/documents/entries.ts'

const entryWords = 6
const lineWord = 5

it('entries keep the order in which they were added in each bucket', () => {
  using entries = new Entries(entryWords)
  const count = 1000
  for (let line = 0; line < count; line++) {
    const entry = new Uint32Array(entryWords)
    entry[0] = (line % 2) * 2 ** 31 + line
    entry[lineWord] = line
    entries.add(entry)
  }
  const linesOf = (bucket: number) => {
    const lines: number[] = []
    for (const block of entries.blocks(bucket))
      for (let at = 0; at < block.length; at += entryWords) lines.push(block[at + lineWord] ?? -1)
    return lines
  }
  const all = [...Array(count).keys()]
  expect(linesOf(0)).toEqual(all.filter((line) => line % 2 === 0))
  expect(linesOf(128)).toEqual(all.filter((line) => line % 2 === 1))
  expect(linesOf(255)).toEqual([])
})

it('entries delete their file on dispose', () => {
  const entries = new Entries(entryWords)
  for (let line = 0; line < 300; line++) entries.add(new Uint32Array(entryWords))
  entries[Symbol.dispose]()
  expect(() => [...entries.blocks(0)]).toThrow('a temporary file has 0 bytes')
})
