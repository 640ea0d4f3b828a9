import { expect, it } from 'vitest'
import { absenceEvidence, decideAbsence } from '../../../../stored/chain/absence.ts'

const by = 'createdIn'

it.each([
  // A snapshot without ranges.
  [{ absences: 'proven', by: undefined }, { counted: 0, isDated: true }, 'deleted'],
  [{ absences: 'proven', by: undefined }, { counted: 0, isDated: false }, 'deleted'],
  [{ absences: 'proven', by: undefined }, { counted: 1, isDated: true }, 'deleted'],
  [{ absences: 'proven', by: undefined }, { counted: 1, isDated: false }, 'deleted'],
  [{ absences: 'repeatable', by: undefined }, { counted: 0, isDated: true }, 1],
  [{ absences: 'repeatable', by: undefined }, { counted: 0, isDated: false }, 1],
  [{ absences: 'repeatable', by: undefined }, { counted: 1, isDated: true }, 'deleted'],
  [{ absences: 'repeatable', by: undefined }, { counted: 1, isDated: false }, 'deleted'],
  // A snapshot by ranges.
  [{ absences: 'proven', by }, { counted: 0, isDated: true }, 'deleted'],
  [{ absences: 'proven', by }, { counted: 0, isDated: false }, 1],
  [{ absences: 'proven', by }, { counted: 1, isDated: true }, 'deleted'],
  [{ absences: 'proven', by }, { counted: 1, isDated: false }, 'deleted'],
  [{ absences: 'repeatable', by }, { counted: 0, isDated: true }, 1],
  [{ absences: 'repeatable', by }, { counted: 0, isDated: false }, 1],
  [{ absences: 'repeatable', by }, { counted: 1, isDated: true }, 'deleted'],
  [{ absences: 'repeatable', by }, { counted: 1, isDated: false }, 'deleted'],
  [{ absences: 'unknown', by }, { counted: 0, isDated: true }, 0],
  [{ absences: 'unknown', by }, { counted: 0, isDated: false }, 0],
  [{ absences: 'unknown', by }, { counted: 1, isDated: true }, 1],
  [{ absences: 'unknown', by }, { counted: 1, isDated: false }, 1],
] as const)('the evidence %j on a missing document %j: %s', (evidence, document, expected) => {
  expect(decideAbsence(evidence, document)).toBe(expected)
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
