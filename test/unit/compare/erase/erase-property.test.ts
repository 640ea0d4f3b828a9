import assert from 'node:assert/strict'
import { gunzipSync } from 'node:zlib'
import { DeleteObjectsCommand } from '@aws-sdk/client-s3'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { planCleanUp } from '../../../../stored/inventory/snapshot-reasons.ts'
import { latestKey, manifestKey } from '../../../../stored/snapshots/manifest.ts'
import { runsToTry } from '../../../case-count.ts'
import { ChangeSetTestbed } from '../change-set-testbed.ts'

const dayMs = 24 * 60 * 60_000
const hourMs = 60 * 60_000

interface Publication {
  readonly at: number
  readonly contents: ReadonlySet<string>
}

interface Day {
  /** A document that the scroll does not find, so that the snapshot is not exact; undefined if it finds all. */
  readonly missing: number | undefined
  /** Whether its absence counts towards a deletion. */
  readonly counts: boolean
  readonly compares: boolean
}

/** A deployment whose platform has documents with different content after each change. */
class Deployment {
  readonly testbed = new ChangeSetTestbed()
  readonly publications: Publication[] = []
  readonly documents = new Map<number, string>()
  #changes = 0

  constructor(eraseWithinDays: number) {
    this.testbed.eraseWithinDays = eraseWithinDays
    this.testbed.s3.now = () => this.testbed.now
  }

  change(id: number): void {
    this.documents.set(id, `content-${id}-${++this.#changes}.`)
  }

  async publish({ missing, counts, compares }: Day, keepSnapshots: number): Promise<void> {
    const found = [...this.documents].filter(([id]) => id !== missing)
    const lines = found.map(([id, content]) => JSON.stringify({ id, content }))
    const proof = missing === undefined ? 'exact' : 'within-tolerance'
    const absences = counts ? undefined : ('unknown' as const)
    const runId = this.testbed.publish({ documents: lines, proof, afterMs: 0, ...(absences && { absences }) })
    this.publications.push({ at: this.testbed.now, contents: new Set(found.map(([, content]) => content)) })
    this.#cleanUp(runId, keepSnapshots)
    if (!compares) return
    this.testbed.now++
    assert.equal((await this.testbed.compare()).status, 'published')
  }

  /** As the worker does after a publication. */
  #cleanUp(runId: string, keepSnapshots: number): void {
    const manifest = JSON.parse(this.testbed.text(manifestKey('CL', runId)) ?? '')
    const deleted = planCleanUp(
      { outcome: 'published', manifest, published: runId },
      this.testbed.keys('snapshots/CL/'),
      {
        now: this.testbed.now,
        keepSnapshots,
        tip: this.testbed.chain()?.tip,
        runOutcomeOf: () => 'published',
      },
    )
    const Objects = deleted.map((Key) => ({ Key }))
    if (Objects.length > 0)
      this.testbed.s3.execute(new DeleteObjectsCommand({ Bucket: 'bucket', Delete: { Objects } }))
  }

  /** When each content of the bucket was first absent from the published snapshot; undefined if it is not. */
  stored(): { key: string; absentFor: number | undefined }[] {
    return this.testbed.s3.versions.flatMap(({ key, body }) => {
      const text = String(key.endsWith('.gz') ? gunzipSync(body) : body)
      return [...text.matchAll(/content-\d+-\d+\./g)].map(([content]) => {
        const last = this.publications.findLastIndex(({ contents }) => contents.has(content))
        const without = this.publications[last + 1]
        return { key: `${key}: ${content}`, absentFor: without && this.testbed.now - without.at }
      })
    })
  }

  assertIntact(): void {
    const latest = JSON.parse(this.testbed.text(latestKey('CL')) ?? '')
    const { pages } = JSON.parse(this.testbed.text(latest.manifest) ?? '')
    for (const { key } of pages) assert.deepEqual(this.testbed.keys(key), [key])
    // Throws if a part is missing.
    for (const { runId } of this.testbed.chain()?.sets ?? []) this.testbed.set(runId)
    const chain = this.testbed.chain()
    if (!chain || chain.reset !== null) return
    const set = JSON.parse(this.testbed.text(`changes/CL/${chain.tip}/manifest.json`) ?? '')
    for (const { key } of set.withheldParts) assert.deepEqual(this.testbed.keys(key), [key])
  }
}

const day = fc.record({
  changed: fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 2 }),
  deleted: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined, freq: 2 }),
  publications: fc.constantFrom(0, 0, 1, 1, 2),
  missing: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined, freq: 2 }),
  counts: fc.constantFrom(true, true, false),
  compares: fc.constantFrom(true, true, false),
  taskFails: fc.constantFrom(false, false, false, true),
})

it('no version of an object keeps content for longer than eraseWithinDays, whatever happens', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(8, 10, 15),
      fc.integer({ min: 1, max: 7 }),
      fc.array(day, { minLength: 10, maxLength: 40 }),
      async (eraseWithinDays, keepSnapshots, days) => {
        const deployment = new Deployment(eraseWithinDays)
        const { testbed } = deployment
        for (const id of [0, 1, 2, 3]) deployment.change(id)
        let lastFailure = -10
        for (const [index, today] of days.entries()) {
          const { changed, deleted, publications, taskFails } = today
          for (const id of changed) deployment.change(id)
          if (deleted !== undefined && index > 0) deployment.documents.delete(deleted)
          for (let count = index === 0 ? 1 : publications; count > 0; count--) {
            testbed.now += 5 * hourMs
            await deployment.publish(today, keepSnapshots)
          }
          testbed.now += dayMs - (testbed.now % dayMs)
          const tooOld = deployment
            .stored()
            .filter(({ absentFor }) => absentFor !== undefined && absentFor > eraseWithinDays * dayMs)
          expect(tooOld).toEqual([])
          // One task in several days may fail.
          if (taskFails && index - lastFailure > eraseWithinDays) lastFailure = index
          else await testbed.erase()
          deployment.assertIntact()
        }
      },
    ),
    { numRuns: runsToTry(15) },
  )
})
