import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { copyBucket } from '../copy-of-bucket.ts'
import type { PublishedSet } from '../unit/compare/change-set-testbed.ts'
import { duckdb, examplesOf, programs } from './docs-examples.ts'
import { publishChain } from './followed-chain.ts'

const [macro = ''] = examplesOf('examples/duckdb/README.md', 'Read a snapshot')
const [begin = '', , ...merge] = examplesOf('examples/duckdb/README.md', 'Keep a warehouse table up to date')

let folder: string
const sets: PublishedSet['manifest'][] = []
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'longshore-warehouse-'))
  const published = await publishChain(({ s3 }, name) => copyBucket(s3.objects, join(folder, name)))
  sets.push(...published.manifests)
})
afterAll(() => rmSync(folder, { recursive: true }))

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
  return { stateDocuments: rows.length, stateIdSum: (sum % 2n ** 128n).toString(16).padStart(32, '0') }
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
