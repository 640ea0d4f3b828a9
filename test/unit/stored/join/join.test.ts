import { describe, expect, it } from 'vitest'
import { Entries } from '../../../../stored/documents/entries.ts'
import type { EntryRef } from '../../../../stored/documents/entry-table.ts'
import { entryWords, lineWord } from '../../../../stored/join/entries.ts'
import { join } from '../../../../stored/join/join.ts'

type Id = readonly [number, number, number, number]
/** An entry on page 0: the four words of its id hash, the first word of its content and its line. */
type Entry = readonly [id: Id, content: number, line: number]

function joined(base: readonly Entry[], target: readonly Entry[]) {
  const words = ([id, content, line]: Entry) => [...id, content, 0, 0, line]
  return joinedWords({ base: base.map(words), target: target.map(words) })
}

type Words = Record<'base' | 'target', readonly (readonly number[])[]>

/** Joins entries as they are stored. */
function joinedWords(entries: Words & { readonly delivered?: Words['base'] }) {
  using baseEntries = entriesOf(entries.base)
  using delivered = entriesOf(entries.delivered ?? [])
  using targetEntries = entriesOf(entries.target)
  const found: string[] = []
  const lineOf = ({ entries, at }: EntryRef) => entries[at + lineWord] ?? -1
  const counts = join(
    { base: baseEntries, delivered, target: targetEntries },
    {
      pair: (before, after) => void found.push(`pair ${lineOf(before)} ${lineOf(after)}`),
      onlyInBase: (before) => void found.push(`base ${lineOf(before)}`),
      onlyInTarget: (after) => void found.push(`target ${lineOf(after)}`),
      isAlwaysReported: () => false,
    },
  )
  return { found: found.toSorted(), ...counts }
}

function entriesOf(entries: readonly (readonly number[])[]): Entries {
  const result = new Entries(entryWords)
  for (const words of entries) result.add(Uint32Array.from(words))
  return result
}

describe('the join of two snapshots', () => {
  it.each([0, 1, 2, 3])('distinguishes id hashes that differ only in word %i', (word) => {
    const one = [7, 7, 7, 7] as [number, number, number, number]
    const other = one.with(word, 8) as [number, number, number, number]
    const { found, unchanged } = joined([[one, 1, 1]], [[other, 1, 2]])
    expect(found).toEqual(['base 1', 'target 2'])
    expect(unchanged).toBe(0)
  })

  it('finds ids that share the last place of the table', () => {
    const entries = [1, 2, 3].map((last): Entry => [[1, 2 ** 32 - 1, 0, last], 5, last])
    expect(joined(entries, entries)).toMatchObject({ found: [], unchanged: 3 })
  })

  it('takes the last entry with an id', () => {
    const id = [1, 2, 3, 4] as const
    const { found } = joined(
      [
        [id, 1, 1],
        [id, 2, 2],
      ],
      [
        [id, 2, 3],
        [id, 3, 4],
      ],
    )
    expect(found).toEqual(['pair 2 4'])
  })

  it.each([0, 1])('compares word %i of the content', (word) => {
    const id = [1, 2, 3, 4]
    const entry = (content: readonly number[]) => [[...id, ...content, 0, 0]]
    const base = entry([5, 5])
    expect(joinedWords({ base, target: entry([5, 5]) })).toMatchObject({ unchanged: 1, found: [] })
    const changed = joinedWords({ base, target: entry([5, 5].with(word, 6)) })
    expect(changed).toMatchObject({ unchanged: 0, found: ['pair 0 0'] })
  })

  /** On page 0 of the base, or page 9, which an increment delivered. */
  const line = (page: number, line: number) => [1, 2, 3, 4, line, 0, page, line]
  it.each<[name: string, entries: Partial<Words> & { delivered: Words['base'] }, found: string[]]>([
    ['none', { delivered: [line(9, 7)] }, ['base 7']],
    ['the only one', { base: [line(0, 1)], delivered: [line(9, 7)] }, ['base 7']],
    [
      'the last of several with the last of several',
      { base: [line(0, 1), line(0, 2)], delivered: [line(9, 7), line(9, 8)] },
      ['base 8'],
    ],
    [
      'a line that is equal in both snapshots',
      { base: [line(0, 3)], target: [line(0, 3)], delivered: [line(9, 7)] },
      ['pair 7 3'],
    ],
    [
      'a version that the snapshot has too',
      { base: [line(0, 1)], target: [line(0, 7)], delivered: [line(9, 7)] },
      [],
    ],
  ])('replaces with what increments delivered: %s', (_, entries, found) => {
    expect(joinedWords({ base: [], target: [], ...entries })).toMatchObject({
      found: found.toSorted(),
      baseDocuments: 1,
    })
  })

  it('finds every change among more entries than fit into memory blocks', () => {
    // In few buckets, and several with the same place in their table.
    const count = 6_000
    const id = (number: number) =>
      [(((number % 4) << 24) | number) >>> 0, Math.trunc(number / 8) ^ 0x7ff, 0, number] as const
    const base = Array.from({ length: count }, (_, number): Entry => [id(number), number, number])
    const target = base.slice(1).map(([, , line]): Entry => [id(line), line === 5_000 ? 1 : line, line])
    const result = joined(base, [...target, [id(count), 1, count]])
    expect(result.found).toEqual(['base 0', 'pair 5000 5000', `target ${count}`])
    expect([result.baseDocuments, result.targetDocuments, result.unchanged]).toEqual([
      count,
      count,
      count - 2,
    ])
    const sum = (numbers: number[]) =>
      numbers.reduce((total, number) => {
        const [first, second, , last] = id(number)
        return total + (BigInt(first) << 96n) + (BigInt(second) << 64n) + BigInt(last)
      }, 0n) %
      (1n << 128n)
    expect(result.targetIdSum % (1n << 128n)).toBe(sum([...target.map(([, , line]) => line), count]))
  })
})
