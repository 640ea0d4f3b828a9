import assert from 'node:assert/strict'
import { parseWhere } from '../../../local/stand-in/search/where.ts'
import type { Check } from '../check.ts'
import { executionEnd, outputOf, startExecution } from '../executions.ts'
import { assertWholeSnapshot, sourceDocuments } from '../snapshot-proof.ts'

/** A sync of an entity that is scrolled in ranges. */
export const partitionChecks: Check[] = [
  {
    name: 'a partitioned entity is scrolled in ranges and published with an exact proof',
    async run(context) {
      const end = await executionEnd(context, await startExecution(context, { entity: 'Partitioned' }))
      assert.equal(end.status, 'SUCCEEDED', end.cause)
      const { runId = '' } = outputOf(end)
      const { manifest } = await assertWholeSnapshot(context, 'Partitioned', runId)
      const { partitions = [] } = manifest
      const documents = sourceDocuments(context, 'Partitioned').map((document) =>
        JSON.parse(String(document)),
      )
      assert.equal(partitions.length, 5)
      assert.equal(partitions.at(-1)?.where, '(createdIn is null)')
      for (const { where, documents: scrolled, reportedTotal, attempts } of partitions) {
        const matching = documents.filter(parseWhere(where)).length
        const expected = { scrolled: matching, reportedTotal: matching, attempts: 1 }
        assert.deepEqual({ scrolled, reportedTotal, attempts }, expected, where)
      }
      const { json: run } = await context.callApi({ path: `/syncs/Partitioned/runs/${runId}` })
      assert.deepEqual(
        run.partitions.map(({ where, documents }: (typeof partitions)[number]) => ({ where, documents })),
        partitions.map(({ where, documents }) => ({ where, documents })),
      )
      assert.equal(run.partitionsReason, null)
    },
  },
]
