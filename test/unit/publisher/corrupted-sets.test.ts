import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { Damaged } from '../../../functions/publisher/check/damage.ts'
import { checkSet, type SetToCheck } from '../../../functions/publisher/check-set.ts'
import type { ChangePart, ChangesManifest } from '../../../stored/changes/changes.ts'
import { runsToTry } from '../../case-count.ts'
import { ChangeSetTestbed } from '../compare/change-set-testbed.ts'
import { type Bucket, damageOf, linesOf, publisherOf, rules, store, storePart } from './set-checks.ts'

/** A set with a record of each op, a document that is withheld once more, and one that was rewritten. */
interface Proposed {
  readonly set: SetToCheck & { readonly proposal: ChangesManifest }
  readonly bucket: Bucket
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

type Change = (proposed: Proposed) => Partial<ChangesManifest>

/** Changes the lines of the first of these parts. */
const inPart =
  (kind: 'parts' | 'withheldParts', change: (lines: string[]) => string[]): Change =>
  (proposed) => {
    const [first, ...others] = proposed.set.proposal[kind] as readonly [ChangePart, ...ChangePart[]]
    const lines = change(linesOf(proposed.bucket, first))
    return { [kind]: [{ ...first, ...storePart(proposed.bucket, first.key, lines) }, ...others] }
  }

const inRecord = (op: string, change: (line: string) => string[]): Change =>
  inPart('parts', (lines) => {
    const at = lines.findIndex((line) => line.startsWith(`{"op":"${op}"`))
    return [...lines.slice(0, at), ...change(lines[at] ?? ''), ...lines.slice(at + 1)]
  })

/** Changes the entries of all parts. */
const parts =
  (kind: 'parts' | 'withheldParts', change: (part: ChangePart) => object): Change =>
  ({ set }) => ({ [kind]: set.proposal[kind].map((part) => ({ ...part, ...change(part) })) })

const inWithheld = (change: (lines: string[]) => string[]) => inPart('withheldParts', change)
const withheldAs = (members: object) => parts('withheldParts', () => members)
const spaced = (lines: string[]) => lines.map((line) => line.replace('{', '{ '))
const without = (text: string) => (lines: string[]) => lines.filter((line) => !line.includes(text))
const and = (line: string) => (lines: string[]) => [...lines, line]
const rewriting = `{"op":"u","id":"102","before":${document(102, 'b')},"after":${rewrittenDocument}}`
const ofYearBefore = ({ key }: ChangePart) => ({ key: key.replace('2026', '2025') })
const oneMore = ({ records }: ChangePart) => ({ records: records + 1 })

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
      ] as const,
  ),
  ['a record has the op of an increment', inRecord('c', (line) => [line.replace('"c"', '"r"')]), / ops cud/],
  ['a withheld document is lost', inWithheld((lines) => lines.slice(1)), /is withheld, and has no record/],
  ['a withheld one repeats', inWithheld((lines) => [...lines, lines[0] ?? '']), /occurs twice/],
  ['a withheld document has other bytes', inWithheld(spaced), /is withheld with other bytes|a record/],
  ['absences are counted wrongly', withheldAs({ countedAbsences: 0 }), /with 0 counted .*; 1 count/],
  [
    'a withheld document is marked as delivered',
    withheldAs({ delivered: true }),
    /delivered: true\); 1 count/,
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
  ['it is a reset', () => ({ kind: 'reset', base: null }) as never, /kind "reset"; it must be "changes"/],
  ['a part is missing', ({ set }) => ({ parts: set.proposal.parts.slice(1) }), /and has no record|differs/],
  ['a part is that of another run', parts('parts', ofYearBefore), /is not in the folder/],
  ['a part has one line less than its number', parts('parts', oneMore), /has \d+ documents; \d+ were/],
  ['a part has another hash', parts('parts', () => ({ sha256: 'ab' })), /has the SHA-256 .*; ab was/],
  [
    'a document that is back has no record',
    inPart('parts', without('"101"')),
    /was withheld and is back, and/,
  ],
  ['a rewritten document has a record', inPart('parts', and(rewriting)), /has not changed, and has a record/],
  [
    'a deleted document is withheld, too',
    inWithheld(and(document(100, 'absent'))),
    /a record and is withheld/,
  ],
  [
    'the state before it is not that of its base',
    (proposed) => {
      const key = `changes/CL/${proposed.set.proposal.base}/manifest.json`
      const base = JSON.parse(String(proposed.bucket.get(key)?.body)) as ChangesManifest
      const body = Buffer.from(JSON.stringify({ ...base, stateDocuments: 1 }))
      return { baseSha256: store(proposed.bucket, key, body).sha256 }
    },
    /has \d+ documents with the sum .*; its manifest has 1 with/,
  ],
  [
    'versions are carried on that nobody delivered',
    (proposed) => {
      const key = `changes/CL/${proposed.set.proposal.runId}/delivered-x.ndjson.gz`
      return { delivered: { versions: 1, ...store(proposed.bucket, key, gzipSync(Buffer.alloc(48))) } }
    },
    /has 1 delivered versions; after the set there are 0/,
  ],
]

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
    expect(await damageOf(check({ proposal }))).toMatch(reason)
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
