import { hash } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { changesLatestKey, setManifestKey } from '../../../../stored/changes/change-keys.ts'
import { latestKey, manifestKey } from '../../../../stored/snapshots/manifest.ts'
import { ChangeSetTestbed, numberedDocuments as documents } from '../change-set-testbed.ts'

let testbed: ChangeSetTestbed

beforeEach(() => {
  testbed = new ChangeSetTestbed()
})

const hashOf = (key: string) => hash('sha256', testbed.text(key) ?? '')
const ofSnapshot = (runId: string) => hashOf(manifestKey('CL', runId))
const ofSet = (runId: string) => hashOf(setManifestKey('CL', runId))
const announced = () =>
  testbed.events.map(({ detail }) => 'sha256' in detail && [detail.runId, detail.sha256])

describe('the hashes of a full set', () => {
  it('lead from its event to its snapshot and its base', async () => {
    const { manifest: reset } = await testbed.next({ documents: documents(2) })
    const { manifest: set } = await testbed.next({ documents: documents(3) })
    expect(reset).toMatchObject({ kind: 'reset', snapshotSha256: ofSnapshot(reset.runId) })
    expect(reset).not.toHaveProperty('baseSha256')
    expect(set).toMatchObject({
      kind: 'changes',
      snapshotSha256: ofSnapshot(set.runId),
      baseSha256: ofSet(reset.runId),
    })
    expect(announced()).toEqual([reset, set].map(({ runId }) => [runId, ofSet(runId)]))
  })

  it('are those of the manifests as they are stored', async () => {
    const { manifest: first } = await testbed.next({ documents: documents(2) })
    const key = setManifestKey('CL', first.runId)
    testbed.overwrite(key, Buffer.from(JSON.stringify(first)))
    const runId = testbed.publish({ documents: documents(3) })
    testbed.failWrite(changesLatestKey('CL'))
    await expect(testbed.compare()).rejects.toThrow('crashed')
    const left = testbed.set(runId).manifest
    expect(left).toMatchObject({ baseSha256: hashOf(key) })
    testbed.overwrite(setManifestKey('CL', runId), Buffer.from(JSON.stringify(left)))
    await testbed.compare()
    expect(announced().at(-1)).toEqual([runId, ofSet(runId)])
  })

  it('lack that of a snapshot that an older release published', async () => {
    const runId = testbed.publish({ documents: documents(2) })
    const { sha256: _, ...latest } = JSON.parse(testbed.text(latestKey('CL')) ?? '')
    testbed.overwrite(latestKey('CL'), Buffer.from(JSON.stringify(latest)))
    await testbed.compare()
    expect(testbed.set(runId).manifest).not.toHaveProperty('snapshotSha256')
  })
})
