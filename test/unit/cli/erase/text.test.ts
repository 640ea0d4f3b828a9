import { describe, expect, it } from 'vitest'
import { erasedResult, evidenceText } from '../../../../cli/erase/erase-text.ts'
import type { Evidence } from '../../../../operator/erase/evidence.ts'

const evidence: Evidence = {
  entity: 'CL',
  where: 'email=ann@example.com',
  ids: ['"a1"', '"b2"'],
  by: 'ann',
  searchedAt: '2026-03-05T06:00:00.000Z',
  erasedAt: null,
  published: { runId: 'run-3', openedAt: '2026-03-03T06:00:01.000Z' },
  searched: { versions: 1234, bytes: 5678 },
  found: [
    { kind: 'snapshot', runId: 'run-1', found: 1, unreadable: 0, versions: 4 },
    { kind: 'table', runId: 'run-1', found: 0, unreadable: 0, versions: 3 },
  ],
  chain: 'reset',
  removed: null,
}

it.each([
  ['succeeds if nothing is left', { versions: 7, items: 1, left: 0 }, true],
  [
    'does not succeed if a version that was written meanwhile contains it',
    { versions: 7, items: 1, left: 1 },
    false,
  ],
])('an erasure %s', (_, removed, ok) => {
  expect(erasedResult({ ...evidence, removed })).toMatchObject({ ok, data: { removed } })
})

describe('the evidence of an erasure', () => {
  it('shows what was searched, where the documents are, and what happens to the chain', () => {
    expect(evidenceText(evidence)).toBe(
      [
        'The published snapshot of CL (run run-3, as of 2026-03-03T06:00:01.000Z) does not contain documents with email=ann@example.com (2 ids: "a1", "b2").',
        'Searched 1,234 versions of objects (5,678 bytes) at 2026-03-05T06:00:00.000Z: snapshots, change sets, refused runs and pages of other runs. Table files are known by the snapshots that they contain.',
        '',
        'FOUND IN  RUN    CONTAIN IT  UNREADABLE  VERSIONS',
        'snapshot  run-1  1                       4',
        'table     run-1                          3',
        '',
        'The chain of change sets starts again with the next full sync: until then, readers that begin receive 410. Start a sync.',
      ].join('\n'),
    )
  })

  it('names what was deleted, when and by whom, and what was searched again', () => {
    const erased = {
      ...evidence,
      erasedAt: '2026-03-05T06:01:00.000Z',
      removed: { versions: 7, items: 1, left: 0 },
    }
    expect(evidenceText(erased)).toContain(
      'Deleted 7 versions of objects and 1 item of the state table, by ann, at 2026-03-05T06:01:00.000Z.\nSearched again: no version of an object contains it.\n',
    )
    const left = { ...erased, removed: { versions: 7, items: 0, left: 1 } }
    expect(evidenceText(left)).toContain(
      'Searched again: 1 version written meanwhile contain it. Run the command again.',
    )
  })

  it('says that nothing contains it, also of an entity without a snapshot', () => {
    const nothing = { ...evidence, published: null, found: [], ids: [] }
    expect(evidenceText(nothing)).toMatch(
      /^No snapshot of CL is published\.\n.*\nNothing contains a document with email=/,
    )
    const { where: _where, ...byId } = { ...nothing, id: 'a1' }
    expect(evidenceText(byId)).toContain('Nothing contains the document a1.')
  })
})
