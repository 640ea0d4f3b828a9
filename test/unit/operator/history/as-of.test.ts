import type { S3Client } from '@aws-sdk/client-s3'
import { beforeEach, expect, it } from 'vitest'
import { readAsOf } from '../../../../operator/history/as-of.ts'
import { readCondition } from '../../../../operator/history/condition.ts'
import { findIds } from '../../../../operator/history/find-ids.ts'
import { changesLatestKey, setManifestKey } from '../../../../stored/changes/change-keys.ts'
import { createChangeSetStore } from '../../../../stored/changes/change-sets.aws.ts'
import type { Proof } from '../../../../stored/run/proof.ts'
import { timeOfRunId } from '../../../../stored/run/run-id.ts'
import { type Manifest, manifestKey } from '../../../../stored/snapshots/manifest.ts'
import { ChangeSetTestbed } from '../../compare/change-set-testbed.ts'

const hourMs = 3_600_000
const other = '{"id":"b"}'
const document = (n: number) => `{"id":"a","n":${n}}`

let testbed: ChangeSetTestbed
/** Publications, oldest first. */
let runs: string[]
/** A run that published the first snapshot again, and when that was opened. */
let republished: string | undefined
const opening = '2026-01-02T01:00:00.000Z'
/** Keys that were read. */
let read: string[]

beforeEach(() => {
  testbed = new ChangeSetTestbed()
  runs = []
  republished = undefined
  read = []
})

async function publish(documents: readonly string[], proof: Proof = 'exact'): Promise<void> {
  runs.push((await testbed.next({ documents, proof })).manifest.runId)
}

const start = (run = '') => timeOfRunId(run)

/** The document `a`, while the last `kept` snapshots are kept. */
const asOf = (time: number, kept = runs.length) => readAsOf(contextOf(kept), { entity: 'CL', id: 'a', time })

/** Each snapshot was opened an hour after its run started. */
function contextOf(kept: number) {
  const manifests = runs.slice(runs.length - kept).map((run): Manifest => {
    const openedAt = new Date(start(run) + hourMs).toISOString()
    const manifest = { ...JSON.parse(testbed.text(manifestKey('CL', run)) ?? ''), openedAt }
    return run === republished ? { ...manifest, openedAt: opening, republishedFrom: runs[0] } : manifest
  })
  return {
    // All pages are read.
    listObjects: async function* () {},
    read: async (key: string) => {
      read.push(key)
      return testbed.s3.objects.get(key)?.body
    },
    readSnapshots: async () => manifests.toReversed(),
    changes: createChangeSetStore('bucket', testbed.s3 as unknown as S3Client),
  }
}

const state = async (...args: Parameters<typeof asOf>) => {
  const found = await asOf(...args)
  return found.state === 'present' ? found.document : found.state
}

it('reads the newest snapshot that was opened before the time, and nothing else', async () => {
  for (const n of [1, 2, 3]) await publish([document(n), other])
  const opened = start(runs[1]) + hourMs
  expect(await asOf(opened)).toEqual({
    state: 'present',
    runId: runs[1],
    asOf: new Date(opened).toISOString(),
    document: document(2),
  })
  expect(read.every((key) => key.startsWith(`snapshots/CL/${runs[1]}/`))).toBe(true)
  expect(await state(opened - 1)).toBe(document(1))
  expect(await state(start(runs[2]) + 30 * 24 * hourMs)).toBe(document(3))
})

it('reaches back before the kept snapshots by what the change sets recorded', async () => {
  await publish([document(1), other])
  await publish([document(1), other, '{"id":"c"}'])
  await publish([document(2), other])
  await publish([other])
  await publish([other])
  await publish([document(3), other])
  const states = await Promise.all(runs.map((run) => state(start(run), 1)))
  expect(states).toEqual([document(1), document(1), document(2), 'absent', 'absent', 'absent'])
  expect(await state(start(runs[5]) + hourMs, 1)).toBe(document(3))
})

it('still has what a set withheld that a reset has taken out of the list', async () => {
  await publish([document(1), other])
  await publish([other], 'no-total')
  testbed.changes = { ignore: ['seen'], maxDeletePercent: 100, keepDays: 30 }
  await publish([other])
  expect(testbed.chain()?.sets).toMatchObject([{ runId: runs[2], kind: 'reset' }])
  const opened = start(runs[1]) + hourMs
  expect(await state(opened, 2)).toBe(document(1))
  const found = await findIds(contextOf(2), 'CL', { condition: readCondition('n=1'), max: 2 })
  expect(found).toEqual({ ids: ['a'], isComplete: true })
  testbed.s3.objects.delete(setManifestKey('CL', runs[1] ?? ''))
  // The snapshot does not prove that the document is gone, and what the reset follows is not known.
  expect([await state(opened, 2), await state(start(runs[2]) + hourMs, 2)]).toEqual(['unknown', 'absent'])
})

it('still has what the set at the tip withheld that is in no list any more', async () => {
  await publish([document(1), other])
  await publish([other], 'no-total')
  const unlisted = { ...testbed.chain(), sets: [] }
  testbed.overwrite(changesLatestKey('CL'), Buffer.from(JSON.stringify(unlisted)))
  expect(await state(start(runs[1]) + hourMs, 1)).toBe(document(1))
})

it('takes a republished snapshot for what was published from then on', async () => {
  for (const n of [1, 2, 1]) await publish([document(n), other])
  republished = runs[2]
  const time = start(republished)
  expect([await state(time - 1), await state(time)]).toEqual([document(2), document(1)])
})

it('does not know what was before everything that is kept', async () => {
  await publish([document(1)])
  await publish([document(2)])
  expect(await asOf(start(runs[0]) - 1, 1)).toEqual({
    state: 'unknown',
    oldest: new Date(start(runs[0])).toISOString(),
  })
})

it('does not know anything without snapshots', async () => {
  expect(await asOf(Date.now())).toEqual({ state: 'unknown', oldest: undefined })
})

it('does not guess across a set whose manifest is gone', async () => {
  for (const n of [1, 2, 3]) await publish([document(n)])
  testbed.s3.objects.delete(setManifestKey('CL', runs[1] ?? ''))
  expect(await state(start(runs[0]), 1)).toBe('unknown')
  expect(await state(start(runs[2]) + hourMs, 1)).toBe(document(3))
})

it('refuses damaged data', async () => {
  await publish([document(1)])
  const [page = ''] = testbed.keys(`snapshots/CL/${runs[0]}/a1`)
  testbed.overwrite(page, Buffer.from('damaged'))
  await expect(asOf(start(runs[0]) + hourMs)).rejects.toThrow(`The stored data is damaged: ${page}`)
})
