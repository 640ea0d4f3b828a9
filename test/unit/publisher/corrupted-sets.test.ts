import { hash } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { Damaged } from '../../../functions/publisher/check/damage.ts'
import { checkSet, type SetToCheck } from '../../../functions/publisher/check-set.ts'
import type { ChangePart, ChangesManifest } from '../../../stored/changes/changes.ts'
import { runsToTry } from '../../case-count.ts'
import { ChangeSetTestbed } from '../compare/change-set-testbed.ts'
import { publisherOf, rules } from './set-checks.ts'

/** A set with a record of each op, a document that is withheld once more, and one that was rewritten. */
interface Proposed {
  readonly set: SetToCheck & { readonly proposal: ChangesManifest }
  readonly bucket: Map<string, { body: Buffer }>
}

const document = (id: number, value: unknown) => `{"id":"${id}","v":${JSON.stringify(value)}}`

const rewrittenDocument = '{ "id":"102", "v":"b"}'

async function propose(values: readonly number[]): Promise<Proposed> {
  const testbed = new ChangeSetTestbed()
  const some = values.map((value, id) => document(id, value))
  await testbed.next({
    documents: [...some, '{"x":1}', document(100, 'absent'), document(101, 'a'), document(102, 'b')],
  })
  // The first absence of two documents counts, and that of two others does not delete them yet.
  await testbed.next({ documents: [...some, '{"x":1}', document(102, 'b')], proof: 'no-total' })
  const chain = testbed.chain()
  const changed = some.slice(1).map((text, index) => (index % 2 === 0 ? text.replace('"v":', '"v":1') : text))
  const documents = [...changed, rewrittenDocument, document(101, 'a'), document(200, 'new'), '{"x":2}']
  const { manifest } = await testbed.next({ documents, proof: 'within-tolerance' })
  const set = { chain, proposal: manifest as ChangesManifest, rules, reviewed: undefined }
  return { set, bucket: new Map(testbed.s3.objects) }
}

const linesOf = ({ bucket }: Proposed, { key }: ChangePart) =>
  gunzipSync(bucket.get(key)?.body ?? Buffer.alloc(0))
    .toString()
    .split('\n')
    .slice(0, -1)

/** The part with other lines under the same key, as a bug in what writes it would store it. */
function rewritten({ bucket }: Proposed, part: ChangePart, lines: readonly string[]): ChangePart {
  const body = gzipSync(lines.map((line) => `${line}\n`).join(''))
  bucket.set(part.key, { body })
  return { ...part, records: lines.length, bytes: body.length, sha256: hash('sha256', body) }
}

type Change = (proposed: Proposed) => Partial<ChangesManifest>

/** Changes the lines of the first of these parts. */
const inPart =
  (kind: 'parts' | 'withheldParts', change: (lines: string[]) => string[]): Change =>
  (proposed) => {
    const [first, ...others] = proposed.set.proposal[kind] as readonly [ChangePart, ...ChangePart[]]
    return { [kind]: [rewritten(proposed, first, change(linesOf(proposed, first))), ...others] }
  }

const inRecord = (op: string, change: (line: string) => string[]): Change =>
  inPart('parts', (lines) => {
    const at = lines.findIndex((line) => line.startsWith(`{"op":"${op}"`))
    return [...lines.slice(0, at), ...change(lines[at] ?? ''), ...lines.slice(at + 1)]
  })

const ops = ['c', 'u', 'd'] as const
const counted = [
  'created',
  'updated',
  'deleted',
  'unchanged',
  'rewritten',
  'withheld',
  'baseDocuments',
  'stateDocuments',
] as const

/** Corruptions of a set, and of what its reason tells. */
const corruptions: readonly (readonly [what: string, change: Change, reason: RegExp])[] = [
  ...ops.flatMap(
    (op) =>
      [
        [
          `a record ${op} is dropped`,
          inRecord(op, () => []),
          / (and has no record|differs from that of the base)/,
        ],
        [`a record ${op} occurs twice`, inRecord(op, (line) => [line, line]), /an id that occurs twice/],
        [`a record ${op} has other bytes`, inRecord(op, (line) => [line.replace(/("v":|"x":)/, '$1 ')]), /./],
        [
          `a record ${op} has another op`,
          inRecord(op, (line) => [line.replace(`"op":"${op}"`, `"op":"${op === 'u' ? 'c' : 'u'}"`)]),
          /has (the op|a record|.*before and after|record|.*member)/,
        ],
        [
          `a record ${op} has the op of an increment`,
          inRecord(op, (line) => [line.replace(`"op":"${op}"`, '"op":"r"')]),
          /which is no record with one of the ops cud/,
        ],
        [
          `a record ${op} has another id`,
          inRecord(op, (line) => [line.replace(/"id":("[^"]*"|null)/, '"id":"77"')]),
          /has another id than its documents/,
        ],
        [
          `a record ${op} has one more member`,
          inRecord(op, (line) => [line.replace(/\}$/, ',"more":1}')]),
          /is not JSON|another id/,
        ],
      ] as const,
  ),
  [
    'an update has another document before it',
    inRecord('u', (line) => [line.replace(/"before":\{(.*?)"v":/, '"before":{$1"w":')]),
    /is updated from other bytes than the base has/,
  ],
  [
    'a deleted document is withheld instead',
    (proposed) => ({ ...move(proposed, '"op":"d"') }),
    /is deleted, and has no record/,
  ],
  [
    'a withheld document is lost',
    inPart('withheldParts', (lines) => lines.slice(1)),
    /is withheld, and has no record/,
  ],
  ['a withheld one repeats', inPart('withheldParts', (lines) => [...lines, lines[0] ?? '']), /occurs twice/],
  [
    'a withheld document has other bytes',
    inPart('withheldParts', (lines) => lines.map((line) => line.replace('{', '{ '))),
    /is withheld with other bytes than the base has|a record/,
  ],
  [
    'absences are counted wrongly',
    ({ set }) => ({
      withheldParts: set.proposal.withheldParts.map((part) => ({ ...part, countedAbsences: 0 })),
    }),
    /is withheld with 0 counted absences \(delivered: false\); 1 count/,
  ],
  [
    'a withheld document is marked as delivered',
    ({ set }) => ({
      withheldParts: set.proposal.withheldParts.map((part) => ({ ...part, delivered: true })),
    }),
    /\(delivered: true\); 1 count \(delivered: false\)/,
  ],
  ...counted.map(
    (name) =>
      [
        `${name} is another number`,
        ({ set }: Proposed) => ({ [name]: set.proposal[name] + 1 }),
        new RegExp(`would have ${name} \\d+; it must be \\d+`),
      ] as const,
  ),
  ...(
    ['stateIdSum', 'stateContentSum', 'snapshotSha256', 'baseSha256', 'snapshot', 'base', 'idField'] as const
  ).map(
    (name) =>
      [
        `${name} is another one`,
        ({ set }: Proposed) => ({ [name]: `${set.proposal[name]?.slice(0, -1)}x` }),
        new RegExp(`would have ${name} `),
      ] as const,
  ),
  ['held is counted without increments', () => ({ held: 0 }), /would have held 0; it must be undefined/],
  ['audits without increments', () => ({ missedByIncrements: 0 }), /would have missedByIncrements 0/],
  ['the ignored fields are others', () => ({ ignore: ['v'] }), /would have ignore \["v"\]; it must be \[\]/],
  [
    'it is a reset',
    () => ({ kind: 'reset', base: null }) as never,
    /would have kind "reset"; it must be "changes"/,
  ],
  ['a part is missing', ({ set }) => ({ parts: set.proposal.parts.slice(1) }), /and has no record|differs/],
  [
    'a part is that of another run',
    ({ set }) => ({
      parts: set.proposal.parts.map((part) => ({ ...part, key: part.key.replace('2026', '2025') })),
    }),
    /is not in the folder/,
  ],
  [
    'a part has one line less than its number',
    ({ set }) => ({ parts: set.proposal.parts.map((part) => ({ ...part, records: part.records + 1 })) }),
    /has \d+ documents; \d+ were committed/,
  ],
  [
    'a part has another hash',
    ({ set }) => ({ parts: set.proposal.parts.map((part) => ({ ...part, sha256: 'ab' })) }),
    /has the SHA-256 .*; ab was committed/,
  ],
  [
    'records and withheld documents are swapped',
    ({ set }) => ({ parts: set.proposal.withheldParts, withheldParts: set.proposal.parts as never }),
    /is no record|has a record/,
  ],
  [
    'a document that is back has no record',
    inPart('parts', (lines) => lines.filter((line) => !line.includes('"101"'))),
    /was withheld and is back, and has no record/,
  ],
  [
    'a rewritten document has a record',
    inPart('parts', (lines) => [
      ...lines,
      `{"op":"u","id":"102","before":${document(102, 'b')},"after":${rewrittenDocument}}`,
    ]),
    /has not changed, and has a record/,
  ],
  [
    'a deleted document is withheld, too',
    (proposed) => ({ withheldParts: move(proposed, '"op":"d"').withheldParts ?? [] }),
    /has a record and is withheld/,
  ],
  [
    'the state before it is not that of its base',
    (proposed) => {
      const key = `changes/CL/${proposed.set.proposal.base}/manifest.json`
      const base = JSON.parse(String(proposed.bucket.get(key)?.body)) as ChangesManifest
      const body = Buffer.from(JSON.stringify({ ...base, stateDocuments: 1 }))
      proposed.bucket.set(key, { body })
      return { baseSha256: hash('sha256', body) }
    },
    /has \d+ documents with the sum .*; its manifest has 1 with/,
  ],
  [
    'versions are carried on that nobody delivered',
    (proposed) => {
      const body = gzipSync(Buffer.alloc(48))
      const key = `changes/CL/${proposed.set.proposal.runId}/delivered-x.ndjson.gz`
      proposed.bucket.set(key, { body })
      return { delivered: { key, versions: 1, bytes: body.length, sha256: hash('sha256', body) } }
    },
    /has 1 delivered versions; after the set there are 0/,
  ],
]

/** Withholds the document of a record instead. */
function move(proposed: Proposed, op: string): Partial<ChangesManifest> {
  const [part] = proposed.set.proposal.parts as readonly [ChangePart]
  const [kept] = proposed.set.proposal.withheldParts as readonly [ChangesManifest['withheldParts'][number]]
  const lines = linesOf(proposed, part)
  const moved = lines.find((line) => line.includes(op)) ?? ''
  const text = /"before":(.*)\}$/.exec(moved)?.[1] ?? ''
  return {
    parts: [
      rewritten(
        proposed,
        { ...part, key: `${part.key}-other` },
        lines.filter((line) => line !== moved),
      ),
    ],
    withheldParts: [{ ...kept, ...rewritten(proposed, kept, [...linesOf(proposed, kept), text]) }],
  }
}

let proposed: Proposed
const check = (change: Partial<SetToCheck> = {}) =>
  checkSet(publisherOf(proposed.bucket), { ...proposed.set, ...change })

describe('a proposed change set', () => {
  beforeEach(async () => {
    proposed = await propose([1, 2, 3, 4, 5])
  })

  it('is checked as it is', async () => {
    const { proposal } = proposed.set
    expect(proposal).toMatchObject({ created: 2, updated: 3, deleted: 1, rewritten: 1, withheld: 2 })
    await expect(check()).resolves.toEqual({ kind: 'checked', manifest: proposal })
  })

  it.each(corruptions)('is not published if %s', async (_, change, reason) => {
    const proposal = { ...proposed.set.proposal, ...change(proposed) }
    const error = await check({ proposal }).catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(Damaged)
    expect(error).toHaveProperty('message', expect.stringMatching(reason))
  })
})

it('is not published with any corruption, whatever the documents are', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 4, maxLength: 12 }),
      fc.constantFrom(...corruptions),
      async (values, [, change]) => {
        proposed = await propose(values)
        expect((await check()).kind).toBe('checked')
        const proposal = { ...proposed.set.proposal, ...change(proposed) }
        await expect(check({ proposal })).rejects.toBeInstanceOf(Damaged)
      },
    ),
    { numRuns: runsToTry(100) },
  )
})
