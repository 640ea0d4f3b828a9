import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { S3Client } from '@aws-sdk/client-s3'
import { beforeEach, expect, it } from 'vitest'
import { readAsOf } from '../../../../operator/history/as-of.ts'
import { readCondition } from '../../../../operator/history/condition.ts'
import { findIds } from '../../../../operator/history/find-ids.ts'
import { readHistory } from '../../../../operator/history/versions.ts'
import { chainSnapshotRun, incrementPartsOf } from '../../../../stored/changes/chain-facts.ts'
import { changesLatestKey, partKey, setManifestKey } from '../../../../stored/changes/change-keys.ts'
import { createChangeSetStore } from '../../../../stored/changes/change-sets.aws.ts'
import type { ChangesManifest } from '../../../../stored/changes/changes.ts'
import type { ChangesLatest } from '../../../../stored/changes/changes-latest.ts'
import { timeOfRunId } from '../../../../stored/run/run-id.ts'
import { type Manifest, manifestKey } from '../../../../stored/snapshots/manifest.ts'
import { ChangeSetTestbed } from '../../compare/change-set-testbed.ts'
import { IncrementTestbed } from '../../worker/increment/increment-testbed.ts'

const minuteMs = 60_000
const other = '{"id":"b"}'
const document = (n: number) => `{"id":"a","n":${n}}`

let testbed: ChangeSetTestbed
/** Runs whose snapshots are kept, and all runs. */
let snapshots: string[]
let runs: string[]

beforeEach(() => {
  testbed = new ChangeSetTestbed()
  snapshots = []
  runs = []
})

async function publish(...documents: readonly string[]): Promise<void> {
  const { manifest } = await testbed.next({ documents })
  snapshots.push(manifest.runId)
  runs.push(manifest.runId)
}

function rewriteChain(change: (chain: ChangesLatest) => object): void {
  const chain = testbed.chain() as ChangesLatest
  testbed.overwrite(changesLatestKey('CL'), Buffer.from(JSON.stringify({ ...chain, ...change(chain) })))
}

/** Publishes an increment five minutes later, as the worker does. */
function deliver(...documents: readonly string[]): void {
  testbed.now += 5 * minuteMs
  const chain = testbed.chain() as ChangesLatest
  const runId = `${new Date(testbed.now).toISOString().replaceAll(/[-:.]/g, '')}-0123456789ab`
  const lines = documents.map((after) => `{"op":"r","id":"${JSON.parse(after).id}","after":${after}}\n`)
  const body = gzipSync(lines.join(''))
  const sha256 = createHash('sha256').update(body).digest('hex')
  const key = partKey({ entity: 'CL', runId }, 'records', sha256)
  const parts = [{ key, records: lines.length, bytes: body.length, sha256 }]
  const base = testbed.set(chain.tip).manifest
  const { idField, ignore, snapshot, withheldParts } = base
  const set = { runId, base: chain.tip, kind: 'increment', records: lines.length }
  const ofBase = { version: 1, entity: 'CL', idField, ignore, snapshot, withheldParts }
  const incrementParts = [...incrementPartsOf(base), ...parts]
  const state = { stateDocuments: null, stateIdSum: null }
  const manifest = { ...ofBase, ...set, ...state, parts, incrementParts }
  const sets = [...chain.sets, { ...set, manifest: setManifestKey('CL', runId) }]
  testbed.overwrite(key, body)
  testbed.overwrite(setManifestKey('CL', runId), Buffer.from(JSON.stringify(manifest)))
  rewriteChain(() => ({ tip: runId, sets, snapshot: { runId: chainSnapshotRun(chain) } }))
  runs.push(runId)
}

const stored = ({ s3 }: ChangeSetTestbed | IncrementTestbed, manifests: () => readonly Manifest[]) => ({
  listObjects: async function* () {},
  read: async (key: string) => s3.objects.get(key)?.body,
  readSnapshots: async () => manifests().toReversed(),
  changes: createChangeSetStore('bucket', s3 as unknown as S3Client),
})

function context(kept = snapshots) {
  const manifests = kept.map((run): Manifest => {
    const openedAt = new Date(timeOfRunId(run)).toISOString()
    return { ...JSON.parse(testbed.text(manifestKey('CL', run)) ?? ''), openedAt }
  })
  return stored(testbed, () => manifests)
}

function contextOf(world: IncrementTestbed) {
  const manifests = () =>
    world
      .keysOf('snapshots/CL/')
      .filter((key) => key.endsWith('/manifest.json'))
      .map((key) => world.json<Manifest>(key))
  return stored(world, manifests)
}

const history = async (id: string) => {
  const { versions } = await readHistory(context(), 'CL', id)
  return versions.map(({ runId, source, kind, changes }) => {
    const fields = changes.map(({ name, before, after }) => ` ${name} ${before} → ${after}`)
    return `${runs.indexOf(runId)} ${source} ${kind}${fields.join('')}`
  })
}

/** The document `a` at each run. */
async function states(kept = snapshots): Promise<string[]> {
  const found = runs.map((run) => readAsOf(context(kept), { entity: 'CL', id: 'a', time: timeOfRunId(run) }))
  return (await Promise.all(found)).map((one) => (one.state === 'present' ? one.document : one.state))
}

it('finds documents in what is kept of a tip whose records have expired', async () => {
  testbed.eraseWithinDays = 8
  testbed.s3.now = () => testbed.now
  await publish(document(1), other)
  await publish(document(2), other)
  for (let day = 0; day < 8; day++) {
    testbed.now += 24 * 60 * minuteMs
    await testbed.erase()
  }
  expect(testbed.chain()).toMatchObject({ tip: runs[1], sets: [], reset: null })
  const found = findIds(context(snapshots.slice(1)), 'CL', { condition: readCondition('n=2'), max: 9 })
  expect(await found).toEqual({ ids: ['a'], isComplete: true })
})

it('lists what increments delivered, compared with what was known before', async () => {
  await publish(document(1), other)
  deliver(document(2))
  deliver(document(2))
  deliver(document(3), '{"id":"c"}')
  await publish(document(3), other, '{"id":"c"}')
  expect(await history('a')).toEqual([
    '4 snapshot unchanged',
    '3 increment updated n 2 → 3',
    '2 increment unchanged',
    '1 increment updated n 1 → 2',
    '0 snapshot present',
  ])
  expect(await history('c')).toEqual(['4 snapshot unchanged', '3 increment created', '0 snapshot absent'])
})

it('knows a document as of increments, with and without a record of it', async () => {
  await publish(document(1), other)
  deliver('{"id":"b","n":1}')
  deliver(document(2))
  deliver('{"id":"b","n":2}')
  deliver(document(3))
  const expected = [document(1), document(1), document(2), document(2), document(3)]
  expect(await states()).toEqual(expected)
  await publish(document(4), other)
  expect(await states()).toEqual([...expected, document(4)])
  // Without the first snapshot, it is not known what was before the first record.
  expect(await states(snapshots.slice(1))).toEqual(['unknown', 'unknown', ...expected.slice(2), document(4)])
})

it('knows what readers have at the tip, although the set that delivered it is no longer listed', async () => {
  await publish(other)
  deliver(document(1))
  deliver('{"id":"b","n":1}')
  deliver('{"id":"b","n":2}')
  rewriteChain((chain) => ({ sets: chain.sets.slice(-1) }))
  // The first increment is in no list any more, and the last ones say nothing about the document.
  expect(await states()).toEqual(['absent', 'absent', document(1), document(1)])
  const { ids } = await findIds(context(), 'CL', { condition: readCondition('n=1'), max: 9 })
  expect(ids).toEqual(['a', 'b'])
})

it('knows a document of the snapshot after so many increments that its full set is no longer listed', async () => {
  await publish(document(1), other)
  for (let n = 1; n < 5; n++) deliver(`{"id":"b","n":${n}}`)
  rewriteChain((chain) => ({ sets: chain.sets.slice(-2) }))
  expect((await states()).slice(-3)).toEqual([document(1), document(1), document(1)])
  // Nobody can begin at this tip any more.
  rewriteChain(() => ({ erased: true }))
  expect((await states()).at(-1)).toBe('unknown')
})

it('does not know what was withheld once that is erased', async () => {
  await publish(document(1), other)
  const { manifest } = await testbed.next({ documents: [other], proof: 'no-total' })
  runs.push(manifest.runId)
  snapshots.push(manifest.runId)
  deliver('{"id":"b","n":1}')
  rewriteChain((chain) => ({ sets: chain.sets.slice(-1), erased: true }))
  for (const key of [setManifestKey('CL', manifest.runId), ...manifest.withheldParts.map((part) => part.key)])
    testbed.s3.objects.delete(key)
  expect(await states()).toEqual([document(1), document(1), document(1)])
})

/** The next snapshot is older than an increment, which updated document 2 and created document 9. */
async function deliveredBeforeOldSnapshot() {
  const world = new IncrementTestbed()
  await world.begin()
  const older = String(world.documents[1])
  world.update(2, 'second')
  world.create(9)
  await world.increment()
  const delivered = String(world.documents[1])
  const created = String(world.documents.pop())
  world.documents[1] = older
  return { world, delivered, created }
}

it('names the time from which on a snapshot decides about what an increment delivered', async () => {
  const { world } = await deliveredBeforeOldSnapshot()
  await world.sync()
  const { keptByDelivery } = world.set() as ChangesManifest
  expect(keptByDelivery).toMatchObject({ withheld: 1, lagMinutes: 60 })
  const decidedFrom = Date.parse(keptByDelivery?.decidedFrom ?? '')
  // A sync moves the clock by a minute before it opens its snapshot.
  world.now = decidedFrom - minuteMs - 1_000
  await world.sync()
  expect(world.set()).toMatchObject({ held: 1, withheld: 1, keptByDelivery })
  world.now = decidedFrom - minuteMs
  await world.sync()
  expect(world.set()).toMatchObject({ held: 0, withheld: 0, updated: 1, deleted: 1 })
  expect(world.set()).not.toHaveProperty('keptByDelivery')
})

it('knows the versions that readers had before a reset, while the set is kept', async () => {
  const { world, delivered, created } = await deliveredBeforeOldSnapshot()
  world.documents.splice(3, 1)
  const runId = await world.sync()
  const time = world.now
  world.overwrite(changesLatestKey('CL'), (chain) => ({ ...chain, reset: 'An operator wants it.' }))
  await world.sync()
  const find = (id: string) => readAsOf(contextOf(world), { entity: 'CL', id, time })
  expect(await find('2')).toMatchObject({ state: 'present', runId, document: delivered })
  expect(await find('9')).toMatchObject({ state: 'present', runId, document: created })
  const kinds = async (id: string) =>
    (await readHistory(contextOf(world), 'CL', id)).versions.map(({ kind }) => kind)
  expect(await kinds('2')).toEqual(['present', 'held', 'present'])
  expect(await kinds('9')).toEqual(['absent', 'withheld', 'absent'])
  expect(await kinds('4')).toEqual(['absent', 'deleted', 'present'])
  world.s3.objects.delete(setManifestKey('CL', runId))
  expect(await find('2')).toMatchObject({ state: 'unknown' })
  expect(await find('9')).toMatchObject({ state: 'unknown' })
  expect(await kinds('4')).toEqual(['absent', 'absent', 'present'])
})

it('has a set that was compared after newer increments in the order in which readers had them', async () => {
  await publish(document(1), other)
  const waiting = testbed.publish({ documents: [document(2), other] })
  const [before] = runs
  deliver('{"id":"b","n":1}')
  const [, increment = ''] = runs
  snapshots.push(waiting)
  // Readers of change sets do not have the snapshot yet.
  expect(await history('a')).toEqual(['-1 snapshot updated n 1 → 2', '0 snapshot present'])
  expect((await states())[1]).toBe(document(1))
  await testbed.compare()
  runs.splice(1, 0, waiting)
  expect(testbed.chain()?.sets.map(({ runId }) => runId)).toEqual([before, increment, waiting])
  expect(await states()).toEqual([document(1), document(1), document(1)])
  const later = { entity: 'CL', id: 'a', time: timeOfRunId(increment) + minuteMs }
  expect(await readAsOf(context(), later)).toMatchObject({ runId: waiting, document: document(2) })
  const { sets = [] } = testbed.chain() ?? {}
  rewriteChain(() => ({ sets: sets.slice(-1) }))
  expect(await readAsOf(context([waiting]), later)).toMatchObject({ runId: waiting })
  const earlier = { ...later, time: timeOfRunId(waiting) + 1 }
  expect(await readAsOf(context([waiting]), earlier)).toMatchObject({ state: 'unknown' })
  rewriteChain(() => ({ sets }))
  expect(await history('a')).toEqual(['1 change-set updated n 1 → 2', '0 snapshot present'])
})

it('lists a version as updated exactly if the change set does', async () => {
  testbed.changes = { ignore: ['seen'], maxDeletePercent: 100, keepDays: 30 }
  await publish('{"id":"a","n":{"b":1,"c":"x"},"seen":1}', other)
  await publish('{"seen":2, "n":{"c":"\\u0078","b":1},"id":"a"}', other)
  await publish('{"id":"a","n":{"b":1.0,"c":"x"}}', other)
  expect(snapshots.slice(1).map((run) => testbed.set(run).manifest)).toMatchObject([
    { rewritten: 1, updated: 0 },
    { rewritten: 0, updated: 1 },
  ])
  expect(await history('a')).toEqual([
    '2 change-set updated n {"c":"\\u0078","b":1} → {"b":1.0,"c":"x"}',
    '1 snapshot unchanged',
    '0 snapshot present',
  ])
})
