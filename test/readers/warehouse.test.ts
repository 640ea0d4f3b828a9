import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ChangeSetTestbed, type PublishedSet } from '../unit/compare/change-set-testbed.ts'
import { duckdb, examplesOf, programs } from './docs-examples.ts'

const half = String.raw`\ud83d`
const numbered = (from: number, to: number, value: string) =>
  Array.from({ length: to - from }, (_, at) => `{"id":"n${from + at}","value":"${value}"}`)

/** Has two ids twice, documents without an id, and half of surrogate pairs in values, names and arrays. */
const first = [
  '{"id":"twice","value":"earlier"}',
  ...numbered(0, 40, 'first'),
  '{"id":"twice","value":"later"}',
  `{"id":"half","value":"cut ${half}"}`,
  String.raw`{"id":"low","\\":"\\ud83d","values":[["\ude00"]]}`,
  `{"${half}":1,"id":"name"}`,
  '{"id":7,"value":"a"}',
  '{"id":7,"value":"b"}',
  '{"value":"no id"}',
  '{"value":"another"}',
]
/** Lacks ten documents without a proof, one with half of a surrogate pair among them. */
const second = [
  ...first.filter((document) => !/n3\d|"low"/.test(document)),
  '{"id":"twice","value":"last"}',
  `{"id":"new","value":"${half}"}`,
]
const refused = numbered(0, 10, 'refused')
const last = [
  ...numbered(0, 33, 'last'),
  '{"id":"twice","value":"last"}',
  '{"id":"twice","value":"the last"}',
  `{"id":"half","value":"cut ${half}${half}"}`,
  String.raw`{"id":"low","values":["\ude00 \ud83d\ude00"]}`,
  '{"value":"no id"}',
  `{"${half}":2,"id":"name"}`,
  `{"id":"new","value":"x"}`,
]

const [macro = ''] = examplesOf('reading-snapshots.md', 'DuckDB')
const [begin = '', , ...merge] = examplesOf('warehouse.md', 'Keep a warehouse table up to date')

let folder: string
const sets: PublishedSet['manifest'][] = []
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'longshore-warehouse-'))
  const testbed = new ChangeSetTestbed()
  const next = async (name: string, documents: readonly string[], proof: 'exact' | 'within-tolerance') => {
    sets.push((await testbed.next({ documents, proof })).manifest)
    copyBucket(testbed, name)
  }
  await next('first', first, 'exact')
  await next('second', second, 'within-tolerance')
  testbed.changes = { ignore: [], maxDeletePercent: 10, keepDays: 30 }
  testbed.publish({ documents: refused })
  const { status } = await testbed.compare()
  if (status !== 'refused') throw new Error(`The comparison is ${status}.`)
  copyBucket(testbed, 'refused')
  testbed.changes = { ...testbed.changes, maxDeletePercent: 100 }
  await next('copy', last, 'exact')
})
afterAll(() => rmSync(folder, { recursive: true }))

function copyBucket({ s3 }: ChangeSetTestbed, name: string): void {
  for (const [key, { body }] of s3.objects) {
    const file = join(folder, name, key)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, body)
  }
}

const beginIn = (name: string) => [
  macro,
  begin.replace("'copy/'", `'${name}/'`),
  "SET VARIABLE root = 'copy/'",
]
const mergeSet = ({ runId }: { readonly runId: string }) => merge.map((sql) => sql.replace('RUN_ID', runId))

/** The number of documents of a warehouse table and the sum of their id hashes, as manifests have them. */
async function stateOf(statements: readonly string[]) {
  const rows = (await duckdb([...statements, 'SELECT document::VARCHAR FROM warehouse'], folder)) as [
    string,
  ][]
  const identities = rows.map(([document]) => {
    const { id } = JSON.parse(document) as { readonly id?: unknown }
    return id === undefined ? document : JSON.stringify(id)
  })
  const sum = identities.reduce(
    (total, one) => total + BigInt(`0x${createHash('sha256').update(one).digest('hex').slice(0, 32)}`),
    0n,
  )
  const stateIdSum = (sum % 2n ** 128n).toString(16).padStart(32, '0')
  return { stateDocuments: rows.length, stateIdSum }
}

const stateIn = ({ stateDocuments, stateIdSum }: PublishedSet['manifest']) => ({ stateDocuments, stateIdSum })

describe.skipIf(!programs)('a warehouse table that the documented recipes keep up to date', () => {
  it('has the state of each set that it begins with, also withheld documents', async () => {
    const [set1, set2, set3] = sets as [
      PublishedSet['manifest'],
      PublishedSet['manifest'],
      PublishedSet['manifest'],
    ]
    expect(set2).toMatchObject({ kind: 'changes', withheld: 11 })
    expect(await stateOf(beginIn('first'))).toEqual(stateIn(set1))
    expect(await stateOf(beginIn('second'))).toEqual(stateIn(set2))
    // The published snapshot is not in the chain.
    expect(await stateOf(beginIn('refused'))).toEqual(stateIn(set2))
    expect(await stateOf(beginIn('copy'))).toEqual(stateIn(set3))
  })

  it('has the state of each set after merging it', async () => {
    const [, set2, set3] = sets as [
      PublishedSet['manifest'],
      PublishedSet['manifest'],
      PublishedSet['manifest'],
    ]
    const afterSecond = [...beginIn('first'), ...mergeSet(set2)]
    expect(await stateOf(afterSecond)).toEqual(stateIn(set2))
    expect(await stateOf([...afterSecond, ...mergeSet(set3)])).toEqual(stateIn(set3))
    // Merging a set again is harmless.
    expect(await stateOf([...afterSecond, ...mergeSet(set2), ...mergeSet(set3), ...mergeSet(set3)])).toEqual(
      stateIn(set3),
    )
  })

  it('compares its documents with the tip when it begins', async () => {
    const found = await duckdb([macro, begin], folder)
    const { runId, stateDocuments } = sets.at(-1) as PublishedSet['manifest']
    expect(found).toEqual([[runId, stateDocuments, stateDocuments]])
  })

  it('has the last document of each id, with U+FFFD for half of a pair', async () => {
    const query =
      "SELECT id, document ->> '$.value' FROM warehouse WHERE id IN ('twice', 'half', 'name', 'n0') ORDER BY id"
    expect(await duckdb([...beginIn('first'), ...sets.slice(1).flatMap(mergeSet), query], folder)).toEqual([
      ['half', 'cut \ufffd\ufffd'],
      ['n0', 'last'],
      ['name', null],
      ['twice', 'the last'],
    ])
  })
})
