import { expect, it } from 'vitest'
import { ownWithheldParts } from '../../../../stored/changes/chain-facts.ts'
import { changesLatestKey, setManifestKey } from '../../../../stored/changes/change-keys.ts'
import type { SetManifest } from '../../../../stored/changes/changes.ts'
import { type Manifest, manifestKey } from '../../../../stored/snapshots/manifest.ts'
import { numbersToTry } from '../../../case-count.ts'
import { MemoryDynamoDb } from '../../../simulation/stores/memory-dynamodb.ts'
import { type AtCall, callsOf, withCall } from '../../store-calls.ts'
import { ChangeSetTestbed, numberedDocuments } from '../change-set-testbed.ts'

const dayMs = 24 * 60 * 60_000

/** A chain whose older snapshots and sets must go, and whose own snapshot must go too if comparisons are refused. */
async function prepared(newest: number): Promise<ChangeSetTestbed> {
  const testbed = emptyTestbed()
  for (const count of [50, 49, 50]) await testbed.next({ documents: numberedDocuments(count), pageSize: 30 })
  for (let day = 0; day < 7; day++) {
    testbed.publish({ documents: numberedDocuments(newest), pageSize: 30 })
    await testbed.compare()
  }
  return testbed
}

function emptyTestbed(): ChangeSetTestbed {
  const testbed = new ChangeSetTestbed()
  testbed.eraseWithinDays = 8
  testbed.s3.now = () => testbed.now
  testbed.changes = { ignore: [], maxDeletePercent: 10, keepDays: 30 }
  return testbed
}

/** The same objects and time. */
function copyOf({ s3, now }: ChangeSetTestbed) {
  const testbed = emptyTestbed()
  for (const [key, object] of s3.objects) testbed.s3.objects.set(key, object)
  testbed.s3.versions = [...s3.versions]
  testbed.now = now
  return { testbed, stores: { s3: testbed.s3, dynamodb: new MemoryDynamoDb() }, erase: () => testbed.erase() }
}

/** The objects of sets that are gone although the sets' manifests, in the chain or not, name them. */
function missingParts(testbed: ChangeSetTestbed): string[] {
  const isTip = (key: string) => key === setManifestKey('CL', testbed.chain()?.tip ?? '')
  const manifests = testbed.keys('changes/CL/').filter((key) => key.endsWith('/manifest.json'))
  // The state at the tip outlives its records.
  const sets = manifests
    .filter((key) => !isTip(key))
    .map((key) => JSON.parse(testbed.text(key) ?? '') as SetManifest)
  const parts = sets.flatMap((set) => [...set.parts, ...ownWithheldParts(set)])
  return parts.map(({ key }) => key).filter((key) => !testbed.s3.objects.has(key))
}

/** What readers and the next comparison begin with is whole. */
function expectWhole(testbed: ChangeSetTestbed): void {
  const manifests = testbed.keys('snapshots/CL/').filter((key) => key.endsWith('/manifest.json'))
  const pages = manifests.flatMap((key) => (JSON.parse(testbed.text(key) ?? '') as Manifest).pages)
  expect(pages.filter(({ key }) => !testbed.s3.objects.has(key))).toEqual([])
  const { tip, sets, reset } = testbed.chain() ?? { tip: '', sets: [], reset: null }
  expect(reset !== null || manifests.includes(manifestKey('CL', tip))).toBe(true)
  for (const { runId } of sets) testbed.set(runId)
}

it.each([
  ['that goes on', 48],
  ['whose comparisons are refused', 20],
])(
  'erasure that stops at any of its calls leaves a chain %s whole, and erases the rest later',
  async (_, newest) => {
    const world = await prepared(newest)
    const undisturbed = copyOf(world)
    const calls = await callsOf(undisturbed.stores, undisturbed.erase)
    undisturbed.testbed.now += dayMs
    await undisturbed.erase()
    for (const happens of [{ kind: 'crash' }, { kind: 'failure' }] satisfies AtCall[])
      for (const call of numbersToTry(calls)) {
        const { testbed, stores, erase } = copyOf(world)
        await withCall(stores, { call, happens }, erase).catch(() => undefined)
        expectWhole(testbed)
        await erase()
        expectWhole(testbed)
        testbed.now += dayMs
        await erase()
        expect(testbed.keys('')).toEqual(undisturbed.testbed.keys(''))
      }
  },
)

it('erasure takes out of the chain what must go, although a comparison moves the tip before any of its calls', async () => {
  const world = await prepared(48)
  // No set becomes too old while the rival works.
  world.now += dayMs / 2
  const undisturbed = copyOf(world)
  const calls = await callsOf(undisturbed.stores, undisturbed.erase)
  for (const call of numbersToTry(calls)) {
    const { testbed, stores, erase } = copyOf(world)
    const work = () => testbed.next({ documents: numberedDocuments(47), afterMs: 1 })
    await withCall(stores, { call, happens: { kind: 'rival', work } }, erase)
    expectWhole(testbed)
    const chain = testbed.chain()
    await erase()
    expect(testbed.chain()).toEqual(chain)
  }
})

it('erasure does not start a chain again whose next snapshot a person accepts before any of its calls, long after its run', async () => {
  const world = emptyTestbed()
  await world.next({ documents: numberedDocuments(50) })
  world.now += 10 * dayMs
  const accept = async (testbed: ChangeSetTestbed) => {
    const { now } = testbed
    testbed.s3.now = () => now
    testbed.now -= 9 * dayMs
    await testbed.next({ documents: numberedDocuments(49), afterMs: 0 })
    testbed.now = now
  }
  const undisturbed = copyOf(world)
  const calls = await callsOf(undisturbed.stores, undisturbed.erase)
  for (const call of numbersToTry(calls)) {
    const { testbed, stores, erase } = copyOf(world)
    await withCall(stores, { call, happens: { kind: 'rival', work: () => accept(testbed) } }, erase)
    expect(testbed.chain()?.reset).toBeNull()
    expectWhole(testbed)
  }
})

it('a set keeps its objects as long as its manifest cannot be deleted', async () => {
  const { testbed, erase } = copyOf(await prepared(48))
  await erase()
  testbed.now += dayMs
  testbed.s3.isDeleteRefused = (key) => key.endsWith('/manifest.json')
  await expect(erase()).rejects.toThrow('Erasure failed for CL.')
  expect(missingParts(testbed)).toEqual([])
  testbed.s3.isDeleteRefused = () => false
  await erase()
  expect(testbed.keys('changes/CL/')).not.toContain(expect.stringContaining('records'))
})

it('a set that a comparison left long ago is whole, although it is published while erasure deletes its objects', async () => {
  const world = emptyTestbed()
  await world.next({ documents: numberedDocuments(50) })
  const runId = world.publish({ documents: numberedDocuments(49) })
  world.failWrite(changesLatestKey('CL'))
  await expect(world.compare()).rejects.toThrow('crashed')
  expect(world.keys('changes/CL/')).toContain(setManifestKey('CL', runId))
  world.now += 2 * dayMs
  const undisturbed = copyOf(world)
  const calls = await callsOf(undisturbed.stores, undisturbed.erase)
  for (const call of numbersToTry(calls)) {
    const { testbed, stores, erase } = copyOf(world)
    await withCall(stores, { call, happens: { kind: 'rival', work: () => testbed.compare() } }, erase)
    expect(testbed.chain()?.tip).toBe(runId)
    expectWhole(testbed)
  }
})
