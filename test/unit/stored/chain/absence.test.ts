import { expect, it } from 'vitest'
import { absenceEvidence, decideAbsence } from '../../../../stored/chain/absence.ts'

const by = 'createdIn'

it.each([
  ['proven', undefined, 0, 'deleted', 'deleted'],
  ['proven', undefined, 1, 'deleted', 'deleted'],
  ['repeatable', undefined, 0, 1, 1],
  ['repeatable', undefined, 1, 'deleted', 'deleted'],
  ['proven', by, 0, 'deleted', 1],
  ['proven', by, 1, 'deleted', 'deleted'],
  ['repeatable', by, 0, 1, 1],
  ['repeatable', by, 1, 'deleted', 'deleted'],
  ['unknown', by, 0, 0, 0],
  ['unknown', by, 1, 1, 1],
] as const)('an absence that is %s by %s, after %i: %s with a date, and %s without', (...row) => {
  const [absences, field, counted, ...expected] = row
  const decided = [true, false].map((isDated) => decideAbsence({ absences, by: field }, { counted, isDated }))
  expect(decided).toEqual(expected)
})

it.each([
  [{ proof: 'exact' }, 'proven', undefined],
  [{ proof: 'within-tolerance' }, 'repeatable', undefined],
  [{ proof: 'no-total' }, 'repeatable', undefined],
  [{ proof: 'exact', partitionedBy: { by, absences: 'proven' } }, 'proven', by],
  // A range was opened again after a later one.
  [{ proof: 'exact', partitionedBy: { by, absences: 'repeatable' } }, 'repeatable', by],
  [{ proof: 'within-tolerance', partitionedBy: { by, absences: 'unknown' } }, 'unknown', by],
  [{ proof: 'exact', partitionedBy: { by } }, 'unknown', by],
] as const)('the absences from a snapshot %j are %s by %s', (manifest, absences, field) => {
  expect(absenceEvidence(manifest)).toEqual({ absences, by: field })
})
