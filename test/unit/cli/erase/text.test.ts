import { describe, expect, it } from 'vitest'
import { erasedResult, evidenceText } from '../../../../cli/erase/erase-text.ts'
import type { ErasureEvidence } from '../../../../operator/retention/evidence.ts'

const common = {
  entity: 'CL',
  ids: ['"a1"', '"b2"'],
  otherForms: [],
  by: 'ann',
  searchedAt: '2026-03-05T06:00:00.000Z',
  erasedAt: null,
  published: { runId: 'run-3', openedAt: '2026-03-03T06:00:01.000Z' },
  searched: { versions: 1234, bytes: 5678 },
  found: [
    { kind: 'snapshot', runId: 'run-1', found: 1, unreadable: 0, versions: 4 },
    { kind: 'table', runId: 'run-0', found: 0, unreadable: 0, versions: 2 },
    { kind: 'table', runId: 'run-1', found: 0, unreadable: 0, versions: 3 },
  ],
  deletedAsWell: [{ kind: 'change set', runId: 'run-2', versions: 2 }],
  chain: 'reset',
  removed: null,
} as const
const evidence: ErasureEvidence = {
  ...common,
  where: 'email=ann@example.com',
  forms: 'exact',
  withField: 1200,
  withoutId: 1,
}
const byId: ErasureEvidence = { ...common, ids: [], found: [], id: 'a1', notCompared: 0 }
const shown = { include: 'the command' }

it.each([
  ['succeeds if nothing is left', { versions: 7, items: 1, left: 0 }, true],
  ['does not succeed if a version written meanwhile contains it', { versions: 7, items: 1, left: 1 }, false],
])('an erasure %s', (_, removed, ok) => {
  expect(erasedResult({ ...evidence, removed }, shown)).toMatchObject({ ok, data: { removed } })
})

describe('the evidence of an erasure', () => {
  it('shows what was searched, where the documents are, and what happens to the chain', () => {
    expect(evidenceText(evidence, shown)).toBe(
      [
        'The published snapshot of CL (run run-3, as of 2026-03-03T06:00:01.000Z) does not contain documents with email=ann@example.com (2 ids: "a1", "b2"; 1 document without an id).',
        'Searched 1,234 versions of objects (5,678 bytes) at 2026-03-05T06:00:00.000Z: snapshots, change sets, refused runs and pages of other runs. Table files are known by the snapshots that they contain.',
        'Compared texts exactly, numbers and booleans as they are written, and each element of a list. Documents that have the field email: 1,200.',
        '',
        'Contains it:',
        'KIND      RUN    WITH IT       UNREADABLE  VERSIONS',
        'snapshot  run-1  1                         4',
        'table     run-0  unknown                   2',
        'table     run-1  its snapshot              3',
        '',
        'Deleted as well: the chain would start again',
        'KIND        RUN    VERSIONS',
        'change set  run-2  2',
        '',
        'The chain of change sets would start again with the next full sync: until then, readers that begin would receive 410.',
      ].join('\n'),
    )
  })

  it('names what was deleted, when and by whom, and what was searched again', () => {
    const erased = {
      ...evidence,
      erasedAt: '2026-03-05T06:01:00.000Z',
      removed: { versions: 7, items: 1, left: 0 },
    }
    expect(evidenceText(erased, shown)).toContain('\nDeleted as well: the chain starts again\n')
    expect(evidenceText(erased, shown)).toContain(
      'Deleted 7 versions of objects and 1 item of the state table, by ann, at 2026-03-05T06:01:00.000Z.\nSearched again: no version of an object contains it.\n',
    )
    const left = { ...erased, removed: { versions: 7, items: 0, left: 1 } }
    expect(evidenceText(left, shown)).toContain(
      'Searched again: 1 version written meanwhile contain it. Run the command again.',
    )
  })

  it('says that nothing contains it, also of an entity without a snapshot', () => {
    const nothing = { ...evidence, published: null, found: [], ids: [], withoutId: 0 }
    expect(evidenceText(nothing, shown)).toMatch(
      /^No snapshot of CL is published\. Searched for a document with email=.*\nSearched .*\nCompared .*\nNothing contains a document with email=/,
    )
    expect(evidenceText(byId, shown)).toMatch(/\nCompared ids exactly\.\nNothing contains the document a1\.$/)
    expect(evidenceText({ ...byId, notCompared: 25 }, shown)).toContain(
      '\nCompared ids exactly. Not compared: 25 documents without an id: only --where finds these.\n',
    )
  })

  it('shows values in another form so that they can be told apart, and the command that includes them', () => {
    const otherForms = ['ANN', 'jose\u0301', '\u00a0ann\t', 'ANN']
    const text = evidenceText({ ...evidence, found: [], otherForms }, shown)
    expect(text.split('\n').slice(-2)).toEqual([
      '4 documents have it in another form: "ANN", "jose\\u0301", "\\u00a0ann\\t". They differ only in letter case, white space or Unicode form. To include them:',
      '  → the command',
    ])
    expect(evidenceText({ ...byId, otherForms: ['A1'] }, shown)).toMatch(
      /\n1 document has it in another form: "A1"\. It differs only .* To include it:\n {2}→ the command$/,
    )
    const included = evidenceText({ ...evidence, forms: 'any', otherForms }, shown)
    expect(included).toContain('does not contain documents with email=ann@example.com in any form (2 ids')
    expect(included).toContain('\nCompared texts without regard to letter case, white space and')
    expect(included).not.toContain('the command')
  })
})
