import { expect, it } from 'vitest'
import { readSchema } from '../../../../console/server/data/schema.ts'
import { entityNamed } from '../../../entity-named.ts'

const runIdOf = (number: number) => `20261121T1200000${String(number).padStart(2, '0')}Z-0123456789ab`

/** An entity with these runs, newest first, each of which has changed the fields if it was published. */
function read(statuses: readonly string[]) {
  const runs = statuses.map((status, index) => ({
    runId: runIdOf(99 - index),
    status,
    endedAt: '2026-11-21T12:00:00.000Z',
  }))
  return readSchema(
    {
      deployment: { configuration: { entities: [entityNamed('CL', { schemaReport: true })] }, now: () => 0 },
      syncs: { read: async () => ({ snapshot: { runId: runs[0]?.runId }, runs }) },
      tables: {
        readReport: async () => undefined,
        async readSchemaChanges(_entity: string, runId: string) {
          const counts = { added: 1, removed: 0, retyped: 0 }
          return { version: 1, entity: 'CL', runId, added: ['x'], removed: [], retyped: [], counts }
        },
      },
      queriesOf: () => [],
      command: (args: string) => `longshore ${args}`,
    } as unknown as Parameters<typeof readSchema>[0],
    'CL',
  )
}

it('shows how the fields changed with the last ten published runs, whatever else ran in between', async () => {
  const statuses = Array.from({ length: 24 }, (_, index) => (index % 2 === 0 ? 'published' : 'failed'))
  const { changes } = await read(statuses)
  const expected = Array.from({ length: 10 }, (_, index) => runIdOf(99 - 2 * index))
  expect(changes.map(({ runId }) => runId)).toEqual(expected)
})
