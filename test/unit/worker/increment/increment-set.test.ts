import { hash } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { ContentSum } from '../../../../stored/chain/content-sum.ts'
import { snapshotContentSum } from '../../../../stored/changes/chain-facts.ts'
import { changesLatestKey, setManifestKey } from '../../../../stored/changes/change-keys.ts'
import { idSumText } from '../../../../stored/documents/id-hash.ts'
import { manifestKey } from '../../../../stored/snapshots/manifest.ts'
import { documentAt, IncrementTestbed } from './increment-testbed.ts'

const minute = 60_000
const day = 24 * 60 * minute
let testbed: IncrementTestbed
let old: number
let full: string

beforeEach(async () => {
  testbed = new IncrementTestbed()
  old = testbed.now - 10 * day
  testbed.documents = [1, 2, 3].map((id) => documentAt(id, 'first', { created: old }))
  full = await testbed.sync()
})

const update = (id: number, value: string, updated = testbed.now) => {
  testbed.documents[id - 1] = documentAt(id, value, { created: old, updated })
}

const hashOf = (key: string) => hash('sha256', testbed.s3.objects.get(key)?.body ?? '')

function sumsOf(documents: readonly string[]) {
  const contents = new ContentSum(['seen'])
  for (const document of documents) contents.add(contents.canonical(Buffer.from(document)))
  const ids = documents.map((document) => JSON.stringify(JSON.parse(document).id))
  const idSum = ids.reduce((sum, id) => sum + BigInt(`0x${hash('sha256', id).slice(0, 32)}`), 0n)
  return { recordsIdSum: idSumText(idSum), recordsContentSum: idSumText(contents.value()) }
}

describe('the set of an increment', () => {
  it('describes its window, its counts, and what readers begin with', async () => {
    const earlier = testbed.now
    testbed.now += minute
    update(1, 'third')
    await testbed.increment()
    const base = testbed.chain().tip
    const first = testbed.set()
    update(1, 'second', earlier)
    update(2, 'second')
    testbed.documents.push(documentAt(undefined, 'nameless', { created: testbed.now }))
    await testbed.increment()
    const set = testbed.set()
    const { tip, window } = testbed.chain()
    expect(set).toEqual({
      version: 1,
      entity: 'CL',
      runId: tip,
      base,
      kind: 'increment',
      idField: 'id',
      ignore: ['seen'],
      from: window?.from,
      to: window?.to,
      proof: 'exact',
      records: 1,
      older: 1,
      withoutId: 1,
      snapshot: manifestKey('CL', full),
      snapshotSha256: hashOf(manifestKey('CL', full)),
      baseSha256: hashOf(setManifestKey('CL', base)),
      stateDocuments: null,
      stateIdSum: null,
      ...sumsOf([testbed.documents[1] ?? '']),
      snapshotContentSum: expect.stringMatching(/^[0-9a-f]{32}$/),
      parts: set.parts,
      withheldParts: [],
      incrementParts: [...first.parts, ...set.parts],
      delivered: testbed.chain().delivered,
    })
    expect(set).toMatchObject({ snapshotContentSum: snapshotContentSum(testbed.set(full)) })
    expect(window?.from).not.toBe(window?.coveredFrom)
  })

  it('does not know the hash of a snapshot that an older release published', async () => {
    testbed.overwrite(setManifestKey('CL', full), (set) => ({ ...set, snapshotSha256: undefined }))
    update(1, 'second')
    await testbed.increment()
    expect(testbed.set()).not.toHaveProperty('snapshotSha256')
  })

  it('names what the previous set withholds, and since when', async () => {
    testbed.eraseWithinDays = 8
    testbed.documents.push(documentAt(4, 'new', { created: testbed.now }))
    await testbed.increment()
    testbed.documents.pop()
    await testbed.sync()
    const { withheldParts, runId: withheldSince } = testbed.set()
    expect(withheldParts).toHaveLength(1)
    update(1, 'second')
    await testbed.increment()
    expect(testbed.set()).toMatchObject({ kind: 'increment', withheldParts, withheldSince })
  })
})

describe('the events of increments', () => {
  it('are sent again by the next one if the last could not send its own', async () => {
    const { publishEvent } = testbed
    testbed.publishEvent = async () => {
      throw new Error('No event bus.')
    }
    update(1, 'second')
    await testbed.increment()
    const unannounced = testbed.chain().tip
    testbed.publishEvent = publishEvent
    update(2, 'second')
    await testbed.increment()
    const sent = testbed.events.slice(-2).map(({ type, detail: { runId } }) => ({ type, runId }))
    const type = 'Changes Published'
    expect(sent).toEqual([
      { type, runId: unannounced },
      { type, runId: testbed.chain().tip },
    ])
    expect(testbed.json(changesLatestKey('CL'))).toMatchObject({ announced: true })
  })

  it('report one that failed', async () => {
    testbed.ignoresFilter = true
    const response = await testbed.increment()
    expect(testbed.events.at(-1)).toMatchObject({
      type: 'Sync Failed',
      detail: { entity: 'CL', runId: response.runId },
    })
  })
})
