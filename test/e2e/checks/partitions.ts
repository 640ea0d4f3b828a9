import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { onScroll } from '../../../local/stand-in/faults.ts'
import { parseWhere } from '../../../local/stand-in/search/where.ts'
import type { Manifest } from '../../../stored/snapshots/manifest.ts'
import { onSearch } from '../../stand-in-faults.ts'
import { type Check, eventually } from '../check.ts'
import type { CheckContext } from '../context.ts'
import { executionEnd, killWorkers, outputOf, startExecution } from '../executions.ts'
import { assertWholeSnapshot, sourceDocuments } from '../snapshot-proof.ts'
import type { EntityName } from '../upstream.ts'

/** Syncs of an entity that is scrolled in ranges. */
export const partitionChecks: Check[] = [
  {
    name: 'a partitioned entity is scrolled in ranges and published with an exact proof',
    async run(context) {
      const end = await executionEnd(context, await startExecution(context, { entity: 'Partitioned' }))
      assert.equal(end.status, 'SUCCEEDED', end.cause)
      const { runId = '' } = outputOf(end)
      const { manifest } = await assertWholeSnapshot(context, 'Partitioned', runId)
      assertPartitions(context, manifest, 'Partitioned')
      const { partitions = [] } = manifest
      assert.deepEqual(attemptsOf(manifest), [1, 1, 1, 1, 1])
      const { json: run } = await context.callApi({ path: `/syncs/Partitioned/runs/${runId}` })
      assert.deepEqual(
        run.partitions.map(({ where, documents }: (typeof partitions)[number]) => ({ where, documents })),
        partitions.map(({ where, documents }) => ({ where, documents })),
      )
      assert.equal(run.partitionsReason, null)
    },
  },
  {
    name: 'a partitioned entity is scrolled once if the platform ignores the filter, and its run names the reason',
    async run(context) {
      const match = onSearch('Partitioned')
      context.platform.faults.add({ match, fault: { kind: 'ignore-filter' }, times: Infinity })
      const end = await executionEnd(context, await startExecution(context, { entity: 'Partitioned' }))
      assert.equal(end.status, 'SUCCEEDED', end.cause)
      const { runId = '' } = outputOf(end)
      const { manifest } = await assertWholeSnapshot(context, 'Partitioned', runId)
      assert.equal(manifest.partitions, undefined)
      const { json: run } = await context.callApi({ path: `/syncs/Partitioned/runs/${runId}` })
      assert.equal(run.partitions, null)
      assert.match(run.partitionsReason, /ignore the filter/)
    },
  },
  {
    name: 'a partitioned sync survives crashes of its worker and scrolls only the ranges again that lost a page',
    async run(context) {
      const entity = 'PartitionedCrash'
      const { faults } = context.platform
      // All four ranges wait for their fifth page. The platform has moved the cursors of two of them.
      faults.add({ match: onScroll({ entity, page: 5 }), fault: { kind: 'hang', effect: 'after' }, times: 2 })
      faults.add({
        match: onScroll({ entity, page: 5 }),
        fault: { kind: 'hang', effect: 'before' },
        times: 2,
      })
      const executionArn = await startExecution(context, { entity })
      await killWorkersDuring(context, entity, 4)
      // The two ranges that lost a page wait for the third page of their second attempt, which is not lost.
      faults.add({
        match: onScroll({ entity, page: 3 }),
        fault: { kind: 'hang', effect: 'before' },
        times: 2,
      })
      await killWorkersDuring(context, entity, 6)

      const end = await executionEnd(context, executionArn)
      assert.equal(end.status, 'SUCCEEDED', end.cause)
      const { status, runId = '' } = outputOf(end)
      assert.equal(status, 'published')
      const { manifest } = await assertWholeSnapshot(context, entity, runId)
      assertPartitions(context, manifest, entity)
      assert.deepEqual(attemptsOf(manifest), [1, 1, 1, 2, 2])
    },
  },
]

/** Kills the worker when this many requests for pages of the entity hang, those of earlier calls included. */
async function killWorkersDuring(context: CheckContext, entity: EntityName, hanging: number): Promise<void> {
  const { requests } = context.platform
  await eventually(
    `${hanging} requests for pages of ${entity} hang`,
    () =>
      requests.filter(({ name, fault }) => name === entity && fault === 'hang').length === hanging ||
      undefined,
  )
  // Time to store all or part of the previous pages.
  await sleep(100)
  await killWorkers(context)
}

/** Compares the manifest's ranges with the documents that match their filters. */
function assertPartitions(context: CheckContext, manifest: Manifest, entity: EntityName): void {
  const { partitions = [] } = manifest
  const documents = sourceDocuments(context, entity).map((document) => JSON.parse(document.toString()))
  assert.equal(partitions.length, 5)
  assert.equal(partitions.at(-1)?.where, '(createdIn is null)')
  for (const { where, documents: scrolled, reportedTotal } of partitions) {
    const matching = documents.filter(parseWhere(where)).length
    assert.deepEqual({ scrolled, reportedTotal }, { scrolled: matching, reportedTotal: matching }, where)
  }
}

const attemptsOf = ({ partitions = [] }: Manifest) =>
  partitions.map(({ attempts }) => attempts).toSorted((a, b) => a - b)
