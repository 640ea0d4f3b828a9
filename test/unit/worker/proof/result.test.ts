import { expect, it } from 'vitest'
import type { ProvenRange } from '../../../../functions/state/run/range.ts'
import { type ActiveFullRun, newRun } from '../../../../functions/state/run/run.ts'
import { mapRanges, plannedRanges } from '../../../../functions/state/run/split.ts'
import { runResultOf } from '../../../../functions/worker/proof/result.ts'
import { entityNamed } from '../../../entity-named.ts'

const now = Date.parse('2026-11-21T12:00:00Z')
const planned = plannedRanges(
  {
    by: 'createdIn',
    count: 2,
    boundaries: ['2026-01-01T00:00:00Z'],
    searchedAt: '',
    total: 95,
    coverage: 'exact',
    onBoundaries: 5,
    filters: ['a', 'b'].map((where) => ({ where, documents: 50 })),
  },
  { pageSize: 10, now },
)

interface Ended {
  readonly split?: Partial<typeof planned>
  readonly range?: Partial<ProvenRange>
  /** Of all pages: 5 documents are in both ranges. */
  readonly uniqueIds?: number
}

/** What a run in two ranges of 50 documents proves. */
function resultOf({ split: change = {}, range = {}, uniqueIds = 95 }: Ended) {
  const start = { runId: 'r', entity: entityNamed('CL'), acceptShrink: false, execution: undefined, now }
  const proven = {
    state: 'proven',
    proof: 'exact',
    uniqueIds: 50,
    documents: 50,
    total: 50,
    openedAt: now,
    ...range,
  }
  const split = mapRanges({ ...planned, ...change }, (one) => ({ ...one, ...proven }) as ProvenRange)
  const run = { ...newRun(start), split } as ActiveFullRun
  const { proof, partitions } = runResultOf(
    run,
    { documents: 100, uniqueIds, received: 100, largestPage: 10, pages: [] },
    now,
  )
  return [proof, partitions?.absences, partitions?.overlapping]
}

it.each<[name: string, ended: Ended, proof: string, absences: string, overlapping: number | undefined]>([
  ['proves that missing documents are gone', {}, 'exact', 'proven', undefined],
  [
    'does not, if a range was opened again: documents may have moved into it from a later one',
    { split: { reopened: true } },
    'exact',
    'repeatable',
    undefined,
  ],
  [
    'does not within a tolerance',
    { range: { proof: 'within-tolerance' } },
    'within-tolerance',
    'repeatable',
    undefined,
  ],
  [
    'shows nothing if the ranges do not cover the entity exactly',
    { split: { coverage: 'approximate' } },
    'within-tolerance',
    'unknown',
    undefined,
  ],
  [
    'proves it although ranges received documents twice',
    { range: { documents: 60 } },
    'exact',
    'proven',
    undefined,
  ],
  [
    'shows nothing if more documents are in two ranges than on boundaries',
    { uniqueIds: 94 },
    'within-tolerance',
    'unknown',
    1,
  ],
])('a run in ranges %s', (_, ended, ...expected) => expect(resultOf(ended)).toEqual(expected))
