import { beforeEach, describe, expect, it } from 'vitest'
import { refusedChangesKey } from '../../../stored/changes/change-keys.ts'
import { documents } from './change-documents.ts'
import { ChangeSetTestbed } from './change-set-testbed.ts'

const by = 'alice'
let testbed: ChangeSetTestbed

beforeEach(() => {
  testbed = new ChangeSetTestbed()
  testbed.changes = { ignore: [], maxDeletePercent: 10, keepDays: 30 }
})

const compareAccepted = (runId: string) =>
  testbed.compare({ runId, acceptance: { reviewed: 'snapshot', runId, by } })

describe('the change set of a snapshot that was accepted with it', () => {
  it('is published if the review of the snapshot showed every delete, and names who accepted it', async () => {
    await testbed.next({ documents: documents(100) })
    const runId = testbed.publish({ documents: documents(50) })
    expect(await compareAccepted(runId)).toMatchObject({ status: 'published', runId, deleted: 50, by })
    expect(testbed.chain()).toMatchObject({ tip: runId })
    expect(testbed.events.at(-1)).toMatchObject({ type: 'Changes Published', detail: { runId, by } })
  })

  it('names nobody if its guard accepts it anyway', async () => {
    await testbed.next({ documents: documents(100) })
    const result = await compareAccepted(testbed.publish({ documents: documents(95) }))
    expect(result).toMatchObject({ status: 'published', deleted: 5 })
    expect(result).not.toHaveProperty('by')
  })

  it('names nobody if the chain starts again, which needs no acceptance', async () => {
    await testbed.next({ documents: documents(100) })
    const runId = testbed.publish({ documents: documents(50), query: { _where: 'status=1' } })
    const result = await compareAccepted(runId)
    expect(result).toMatchObject({ status: 'published', kind: 'reset' })
    expect(result).not.toHaveProperty('by')
  })

  it('is refused as usual if it deletes a withheld document, which the review did not show', async () => {
    await testbed.next({ documents: documents(100) })
    // The absence of the last document is not proven, so it is withheld and the snapshot lacks it.
    const { manifest } = await testbed.next({ documents: documents(99), proof: 'within-tolerance' })
    expect(manifest).toMatchObject({ withheld: 1 })
    const runId = testbed.publish({ documents: documents(50) })
    expect(await compareAccepted(runId)).toMatchObject({
      status: 'refused',
      reason: expect.stringMatching(/^The change set deletes 50 of 100 documents/),
    })
    expect(JSON.parse(testbed.text(refusedChangesKey('CL', runId)) ?? '')).toMatchObject({ deleted: 50 })
    expect(testbed.chain()).toMatchObject({ tip: manifest.runId })
    const accepted = await testbed.compare({ runId, acceptance: { reviewed: 'set', runId, by } })
    expect(accepted).toMatchObject({ status: 'published', deleted: 50, by })
  })

  it('is published with a document that stays withheld', async () => {
    await testbed.next({ documents: documents(100) })
    const runId = testbed.publish({ documents: documents(50), absences: 'unknown' })
    expect(await compareAccepted(runId)).toMatchObject({ status: 'published', deleted: 0, withheld: 50 })
  })

  it('does not accept the deletes of a later run', async () => {
    await testbed.next({ documents: documents(100) })
    const runId = testbed.publish({ documents: documents(95) })
    const later = testbed.publish({ documents: documents(50) })
    expect(await compareAccepted(runId)).toMatchObject({ status: 'refused' })
    expect(testbed.chain()?.tip).not.toBe(later)
  })
})
