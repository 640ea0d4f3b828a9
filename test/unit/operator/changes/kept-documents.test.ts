import { expect, it } from 'vitest'
import type { SetManifest } from '../../../../functions/state/changes/changes.ts'
import { keptTexts } from '../../../../operator/changes/kept-documents.ts'

const textsOf = (set: object) => keptTexts(set as SetManifest)

it('explains withheld and held documents of a change set', () => {
  expect(textsOf({ kind: 'changes', withheld: 5, held: 19 })).toEqual([
    expect.stringMatching(/^Withheld: 5 documents missing from the snapshot/),
    expect.stringMatching(/^Held: 19 documents of which an increment/),
  ])
  expect(textsOf({ kind: 'changes', withheld: 0 })).toEqual([])
  expect(textsOf({ kind: 'reset' })).toEqual([])
  expect(textsOf({ kind: 'increment' })).toEqual([])
})
