import { beforeEach, expect, it } from 'vitest'
import { manifestKey } from '../../../stored/snapshots/manifest.ts'
import { documentAt, IncrementTestbed } from '../worker/increment/increment-testbed.ts'
import { requestChanges } from './request-changes.ts'

const day = 24 * 60 * 60_000

let testbed: IncrementTestbed
let full: string

/** An entity with one document, whose first full set is published. */
beforeEach(async () => {
  testbed = new IncrementTestbed()
  testbed.documents = [documentAt(1, 'first', { created: testbed.now - 10 * day })]
  full = await testbed.sync()
})

const get = async (query = '') => {
  const source = { s3: testbed.s3, bucket: 'snapshots', entities: [testbed.entity] }
  return (await requestChanges(source, { query })).body
}

/** Creates a document, which an increment delivers. */
async function deliver(id: number): Promise<string> {
  testbed.documents.push(documentAt(id, 'new', { created: testbed.now }))
  await testbed.increment()
  return testbed.chain().tip
}

it('lists no increments for a chain that none has extended', async () =>
  expect(await get()).not.toHaveProperty('incrementParts'))

it('lists the increments since the snapshot for readers that begin, with a link to each part', async () => {
  await deliver(2)
  const tip = await deliver(3)
  const { snapshot, incrementParts, ...response } = await get()
  expect(response).toEqual({ entity: 'CL', tip, withheldParts: [], sets: [] })
  expect(snapshot).toMatchObject({
    runId: full,
    manifest: manifestKey('CL', full),
    documents: 1,
    stateDocuments: null,
    stateIdSum: null,
  })
  expect(incrementParts).toHaveLength(2)
  for (const { key, link } of incrementParts) expect(link).toBe(`https://bucket.example.com/${key}`)
})

it('lists them in the last response only, if the snapshot has more than 1,000 pages', async () => {
  const tip = await deliver(2)
  const key = manifestKey('CL', full)
  const manifest = testbed.json<{ pages: object[] }>(key)
  const pages = Array.from({ length: 1_001 }, () => manifest.pages[0])
  const stored = testbed.s3.objects.get(key)
  if (stored)
    testbed.s3.objects.set(key, { ...stored, body: Buffer.from(JSON.stringify({ ...manifest, pages })) })
  const first = await get()
  expect([first.snapshot.pages.length, first.incrementParts.length]).toEqual([1_000, 0])
  const second = await get(String(first.next).slice(1))
  expect(second).toMatchObject({ tip, snapshot: { pages: { length: 1 } }, incrementParts: [{ records: 1 }] })
})

it('has an empty list after the next full set, which knows the state again', async () => {
  await deliver(2)
  await testbed.sync()
  const { snapshot, incrementParts } = await get()
  expect(incrementParts).toEqual([])
  expect(snapshot).toMatchObject({ documents: 2, stateDocuments: 2 })
})

it('lists increments among the sets since a run, with the records of each only', async () => {
  const tip = await deliver(2)
  const { sets } = await get(`since=${full}`)
  expect(sets).toMatchObject([
    { runId: tip, base: full, kind: 'increment', records: 1, older: 0, withoutId: 0, proof: 'exact' },
  ])
  expect(sets[0].parts).toHaveLength(1)
  expect(sets[0]).not.toHaveProperty('incrementParts')
  expect(sets[0]).not.toHaveProperty('delivered')
  expect(sets[0]).not.toHaveProperty('withheldParts')
})
