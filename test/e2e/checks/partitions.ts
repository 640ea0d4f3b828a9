import assert from 'node:assert/strict'
import { onSearch } from '../../../local/platform/faults.ts'
import type { Check } from '../check.ts'
import { executionEnd, outputOf, startExecution } from '../executions.ts'
import { assertWholeSnapshot } from '../snapshot-proof.ts'

/** Syncs of an entity that is scrolled in ranges. */
export const partitionChecks: Check[] = [
  {
    name: 'a partitioned entity is scrolled in ranges and published with an exact proof',
    async run(context) {
      const end = await executionEnd(context, await startExecution(context, { entity: 'Partitioned' }))
      assert.equal(end.status, 'SUCCEEDED', end.cause)
      const { runId = '' } = outputOf(end)
      const { manifest } = await assertWholeSnapshot(context, 'Partitioned', runId)
      const { partitions = [] } = manifest
      assert.equal(partitions.length, 5)
      assert.equal(partitions.at(-1)?.where, '(createdIn is null)')
      assert.equal(
        partitions.reduce((sum, { documents }) => sum + documents, 0),
        1_000,
      )
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
]
