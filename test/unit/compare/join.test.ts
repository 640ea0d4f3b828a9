import { describe, expect, it } from 'vitest'
import { Entries } from '../../../functions/compare/entries.ts'
import { type EntryRef, join } from '../../../functions/compare/join.ts'

/** An entry: the four words of its id hash, its content, its page and its line. */
type Entry = readonly [id: readonly [number, number, number, number], content: number, line: number]

function joined(base: readonly Entry[], target: readonly Entry[]) {
  using baseEntries = entriesOf(base)
  using targetEntries = entriesOf(target)
  using same = new Entries()
  const found: string[] = []
  const lineOf = ({ entries, at }: EntryRef) => entries[at + 7] ?? -1
  const counts = join(
    { base: baseEntries, target: targetEntries, same },
    {
      pair: (before, after) => void found.push(`pair ${lineOf(before)} ${lineOf(after)}`),
      onlyInBase: (before) => void found.push(`base ${lineOf(before)}`),
      onlyInTarget: (after) => void found.push(`target ${lineOf(after)}`),
      isAlwaysReported: () => false,
    },
  )
  return { found: found.toSorted(), ...counts }
}

function entriesOf(entries: readonly Entry[]): Entries {
  const result = new Entries()
  for (const [id, content, line] of entries) result.add(Uint32Array.of(...id, content, 0, 0, line))
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

  it('finds every change among more entries than fit into memory blocks', () => {
    // In few buckets, and several with the same place in their table.
    const count = 12_000
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
    expect(result.baseIdSum % (1n << 128n)).toBe(sum([...base.keys()]))
  })
})
