import type { S3Client } from '@aws-sdk/client-s3'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { findRefusal, reviewRefusal, type ShownReview } from '../../../../operator/review/review.ts'
import { createChangeSetStore } from '../../../../stored/changes/change-sets.aws.ts'
import type { ChangesManifest } from '../../../../stored/changes/changes.ts'
import { createSnapshotStore } from '../../../../stored/snapshots/snapshots.aws.ts'
import { runsToTry } from '../../../case-count.ts'
import type { MemoryS3 } from '../../../simulation/stores/memory-s3.ts'
import { ChangeSetTestbed } from '../../compare/change-set-testbed.ts'
import { documentAt, IncrementTestbed } from '../../worker/increment/increment-testbed.ts'

const maxDocuments = 40
const minute = 60_000

async function reviewOf(s3: MemoryS3, runId: string): Promise<ShownReview | undefined> {
  const client = s3 as unknown as S3Client
  const stores = {
    snapshots: createSnapshotStore('bucket', client),
    changes: createChangeSetStore('bucket', client),
  }
  const refusal = await findRefusal(stores, { entity: 'CL', runId, status: 'published', reason: null })
  return refusal && reviewRefusal(refusal, async (key) => s3.objects.get(key)?.body)
}

function expectAsReviewed(review: ShownReview, set: ChangesManifest): void {
  expect(review).toMatchObject({
    before: set.baseDocuments,
    after: set.stateDocuments,
    missing: set.deleted,
    created: set.created,
  })
}

const flags = fc.array(fc.boolean(), { minLength: maxDocuments, maxLength: maxDocuments })
const snapshots = fc.record({
  present: flags,
  kind: fc.constantFrom('proven', 'repeatable', 'unknown', 'exact', 'no-total'),
})

const documentOf = (id: number, isDated: boolean) =>
  `{"id":"${id}","createdIn":"${isDated ? '2024-01-02' : 'soon'}"}`

/** Few documents stay, so that most sets delete more than the guard allows. */
const lastSnapshot = fc.record({ kept: fc.nat(8), kind: fc.constantFrom('proven', 'repeatable', 'exact') })

it('counts what the accepted set deletes, whatever its snapshots say about absences', async () => {
  let refused = 0
  const property = fc.asyncProperty(
    fc.record({ dated: flags, repeated: flags }),
    fc.array(snapshots, { minLength: 1, maxLength: 3 }),
    lastSnapshot,
    async ({ dated, repeated }, earlier, { kept, kind: lastKind }) => {
      const testbed = new ChangeSetTestbed()
      const publish = (present: (id: number) => boolean, kind: (typeof earlier)[number]['kind']) => {
        const documents = dated.flatMap((isDated, id) =>
          present(id) ? [documentOf(id, isDated), ...(repeated[id] ? [documentOf(id, !isDated)] : [])] : [],
        )
        const says = kind === 'exact' || kind === 'no-total' ? { proof: kind } : { absences: kind }
        return testbed.publish({ documents, uniqueIds: dated.filter((_, id) => present(id)).length, ...says })
      }
      publish(() => true, 'exact')
      await testbed.compare()
      for (const { present, kind } of earlier) {
        publish((id) => present[id] === true, kind)
        await testbed.compare()
      }
      testbed.changes = { ignore: [], maxDeletePercent: 0, keepDays: 30 }
      const runId = publish((id) => id < kept, lastKind)
      if ((await testbed.compare()).status !== 'refused') return
      refused++
      const review = await reviewOf(testbed.s3, runId)
      await testbed.compare({ runId, acceptance: { reviewed: 'set', runId, by: 'alice' } })
      expectAsReviewed(review as ShownReview, testbed.set(runId).manifest as ChangesManifest)
    },
  )
  await fc.assert(property, { numRuns: Math.max(10, runsToTry(20)) })
  expect(refused).toBeGreaterThan(0)
})

it('counts what the accepted set deletes after increments', async () => {
  const changes = fc.array(
    fc.record({ id: fc.nat(maxDocuments + 5), ageMinutes: fc.nat(120), isSeen: fc.boolean() }),
    { maxLength: 6 },
  )
  const property = fc.asyncProperty(
    fc.array(fc.record({ changes, next: fc.constantFrom('increment', 'sync') }), { maxLength: 4 }),
    fc.integer({ min: 1, max: 8 }),
    async (steps, kept) => {
      const testbed = new IncrementTestbed()
      const created = testbed.now - 10 * 1440 * minute
      const documents = new Map<number, string>()
      const store = () => {
        testbed.documents = [...documents.values()]
      }
      for (let id = 0; id < maxDocuments; id++) documents.set(id, documentAt(id, 'first', { created }))
      store()
      await testbed.sync()
      for (const { changes, next } of steps) {
        for (const { id, ageMinutes } of changes) {
          const updated = testbed.now - ageMinutes * minute
          documents.set(id, documentAt(id, `changed ${updated}`, { created, updated }))
        }
        store()
        await testbed.increment()
        for (const { id, isSeen } of changes) if (!isSeen) documents.delete(id)
        store()
        if (next === 'sync') await testbed.sync()
      }
      testbed.refuseDeletes()
      for (const id of [...documents.keys()].slice(kept)) documents.delete(id)
      store()
      const runId = await testbed.sync()
      const review = await reviewOf(testbed.s3, runId)
      if (!review) throw new Error(`The change set of run ${runId} was not refused.`)
      await testbed.compare(runId, { reviewed: 'set', runId, by: 'alice' })
      expectAsReviewed(review, testbed.set(runId) as ChangesManifest)
    },
  )
  await fc.assert(property, { numRuns: runsToTry(12) })
})
