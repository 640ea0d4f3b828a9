import { describe, expect, it } from 'vitest'
import type { SincePosition } from '../../../functions/sync-api/published/changes-query.ts'
import { sliceSets } from '../../../functions/sync-api/published/changes-slice.ts'
import { maxLinks } from '../../../functions/sync-api/published/page-cursor.ts'
import type { SetManifest } from '../../../stored/changes/changes.ts'

/** A set with this many parts. */
const setOf = (runId: string, parts: number) =>
  ({
    runId,
    parts: Array.from({ length: parts }, (_, index) => ({ key: `${runId}-${index}` })),
  }) as unknown as SetManifest

/** The first part and the number of parts of each set of a response, and the position of the next one. */
function slice(sets: readonly SetManifest[], change: Partial<SincePosition> = {}, last = 'tip') {
  const position: SincePosition = { kind: 'since', since: 'start', limit: 5, cursor: undefined, ...change }
  const { sets: taken, next } = sliceSets(sets, position, ({ runId }) => runId === last)
  return { taken: taken.map(({ parts }) => [parts[0]?.key, parts.length]), next }
}

describe('the sets of one response', () => {
  it('are all of them if their parts fit', () => {
    const sets = [setOf('a', 400), setOf('b', 0), setOf('tip', 600)]
    const taken = [
      ['a-0', 400],
      [undefined, 0],
      ['tip-0', 600],
    ]
    for (const limit of [5, 3]) expect(slice(sets, { limit })).toEqual({ taken, next: undefined })
  })

  it('are continued after the last one if the chain has more', () => {
    expect(slice([setOf('a', 1), setOf('b', 1)])).toEqual({
      taken: [
        ['a-0', 1],
        ['b-0', 1],
      ],
      next: '?since=b&limit=5',
    })
  })

  it('are none at the tip', () => {
    expect(slice([])).toEqual({ taken: [], next: undefined })
  })

  it('end before a set that does not fit', () => {
    expect(slice([setOf('a', 2), setOf('tip', maxLinks - 1)])).toEqual({
      taken: [['a-0', 2]],
      next: '?since=a&limit=5',
    })
  })

  it('are a part of a set that does not fit into any response', () => {
    expect(slice([setOf('a', maxLinks + 1), setOf('tip', 1)])).toEqual({
      taken: [['a-0', maxLinks]],
      next: '?since=start&limit=5&cursor=a.1000',
    })
  })

  it('begin within the first one at a cursor, and only there', () => {
    const cursor = { runId: 'a', offset: maxLinks }
    expect(slice([setOf('a', maxLinks + 1), setOf('tip', 2)], { cursor })).toEqual({
      taken: [
        ['a-1000', 1],
        ['tip-0', 2],
      ],
      next: undefined,
    })
    expect(slice([setOf('a', 2 * maxLinks + 1)], { cursor })).toEqual({
      taken: [['a-1000', maxLinks]],
      next: '?since=start&limit=5&cursor=a.2000',
    })
  })
})
