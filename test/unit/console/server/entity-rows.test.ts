import { expect, it } from 'vitest'
import { createEntityRows } from '../../../../console/server/data/entity-rows.ts'
import { entityNamed } from '../../../entity-named.ts'

const view = (entity: string, change: object = {}) => ({
  entity,
  schedule: 'rate(1 day)',
  timezone: 'UTC',
  enabled: true,
  running: null,
  snapshot: null,
  runs: [],
  ...change,
})

function rowsOf(names: readonly string[], change: object = {}) {
  const read: string[] = []
  let current = 0
  let most = 0
  const rows = createEntityRows({
    entities: names.map((name) => entityNamed(name)),
    syncs: {
      async read(entity: string) {
        read.push(entity)
        most = Math.max(most, ++current)
        await new Promise((done) => setImmediate(done))
        current--
        return view(entity, change) as never
      },
    },
    changes: { readLatest: async () => undefined },
    readNext: async () => () => ({ kind: 'none' }),
    now: Date.now,
  })
  return { rows, read, most: () => most }
}

it('reads each entity once for several pages that are open', async () => {
  const { rows, read } = rowsOf(['A', 'B'])
  await Promise.all([rows.list(), rows.list()])
  expect((await rows.list()).map(({ entity }) => entity)).toEqual(['A', 'B'])
  expect(read).toEqual(['A', 'B'])
})

it('reads an entity again after an action', async () => {
  const { rows, read } = rowsOf(['A', 'B'])
  await rows.list()
  rows.forget('B')
  await rows.list()
  expect(read).toEqual(['A', 'B', 'B'])
})

it('reads 400 entities a few at a time', async () => {
  const { rows, most } = rowsOf(Array.from({ length: 400 }, (_, index) => `E${index}`))
  expect((await rows.list()).length).toBe(400)
  expect(most()).toBeLessThanOrEqual(24)
})

it('shows the last published snapshots oldest first, and the last run that was not skipped', async () => {
  const run = (status: string, documents: number) => ({
    status,
    documents,
    runId: `r${documents}`,
    proof: 'exact',
  })
  const runs = [run('skipped', 0), run('failed', 1), run('published', 30), run('published', 20)]
  const snapshot = { runId: 'r30', publishedAt: new Date().toISOString(), documents: 30 }
  const [row] = await rowsOf(['A'], { runs, snapshot }).rows.list()
  expect(row).toMatchObject({ trend: [20, 30], proof: 'exact', lastRun: { status: 'failed' } })
})
