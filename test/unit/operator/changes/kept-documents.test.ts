import { expect, it } from 'vitest'
import { keptTexts } from '../../../../operator/changes/kept-documents.ts'
import type { SetManifest } from '../../../../stored/changes/changes.ts'

const textsOf = (set: object) => keptTexts(set as SetManifest)

it('explains withheld and held documents of a change set', () => {
  const withheldParts = [{ records: 2 }, { records: 22, delivered: true }]
  const kept = { kind: 'changes', withheld: 5, held: 19, withheldParts }
  const keptByDelivery = { withheld: 3, lagMinutes: 90, decidedFrom: '2026-03-01T11:03:00.001Z' }
  const until =
    'less than 90 minutes before the snapshot: a snapshot that begins after 2026-03-01 11:04 UTC decides. Readers keep what they have until then.'
  expect(textsOf({ ...kept, keptByDelivery })).toEqual([
    'Withheld: 2 documents missing from the snapshot without proof of their deletion. Readers keep them until an exact snapshot, or a second one in a row, lacks them too.',
    `Withheld: 3 documents missing from the snapshot, which an increment delivered ${until}`,
    `Held: 19 documents of which the snapshot has an older version than an increment delivered ${until}`,
  ])
  // A set of 1.1.0 or before.
  expect(textsOf(kept)).toEqual([
    expect.stringMatching(/^Withheld: 2 .* lacks them too\.$/),
    expect.stringMatching(
      /^Withheld: 3 .* shortly before the snapshot: .* 60 minutes later, or lookbackMinutes/,
    ),
    expect.stringMatching(/^Held: 19 documents/),
  ])
  expect(textsOf({ kind: 'changes', withheld: 0, withheldParts: [] })).toEqual([])
  expect(textsOf({ kind: 'reset' })).toEqual([])
  expect(textsOf({ kind: 'increment' })).toEqual([])
})
