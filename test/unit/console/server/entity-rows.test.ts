import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createEntityRows } from '../../../../console/server/data/entity-rows.ts'
import type { ReadEntity } from '../../../../console/server/data/read-rows.ts'
import { UnreadableObject } from '../../../../stored/unreadable-object.ts'
import { entityNamed } from '../../../entity-named.ts'
import { entityProblems } from '../../problems/facts-of.ts'

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

const problemsOf = (read: ReadEntity | undefined) => (read ? entityProblems(read.facts) : [])

interface Sources {
  readonly settings?: object
  /** The content of the entity's changes/latest.json. */
  readonly chain?: object
}

function rowsOf(names: readonly string[], change: object = {}, { settings = {}, chain }: Sources = {}) {
  const read: string[] = []
  const chains: string[] = []
  let together = 0
  let current = 0
  let most = 0
  const entities = names.map((name) => entityNamed(name, settings))
  const rows = createEntityRows(entities, {
    syncs: {
      async readWith(entity: string) {
        read.push(entity)
        most = Math.max(most, ++current)
        await new Promise((done) => setImmediate(done))
        current--
        if (change instanceof Error) throw change
        return view(entity, change) as never
      },
    },
    look: {
      settings: { entities, credentials: {} },
      checkPointers: async () => undefined,
      state: {
        readEntities: async (names) =>
          names.map(() => ({ latest: (change as { snapshot?: object }).snapshot as never })),
        readRuns: async () => [],
      },
      looks: {
        async readWatched() {
          together++
          return {}
        },
      },
      changes: {
        async readLatest(entity: string) {
          chains.push(entity)
          if (chain instanceof Error) throw chain
          return chain && ({ value: chain } as never)
        },
        readRefused: async () => undefined,
        readUnpublished: async () => undefined,
        readManifest: async () => undefined,
      },
      tables: {
        readLatest: async () => undefined,
        readFailure: async () => undefined,
        readSchemaChanges: async () => undefined,
      },
      now: Date.now,
    },
    readNext: async () => () => ({ nextWith: () => ({ kind: 'none' }), deployed: undefined }),
    scheduleStateOf: () => ({ kind: 'unknown' }),
  })
  return { rows, read, chains, together: () => together, most: () => most }
}

it('reads each entity once for several pages that are open', async () => {
  const { rows, read } = rowsOf(['A', 'B'])
  await Promise.all([rows.list(), rows.list()])
  expect((await rows.list()).map(({ row }) => row.entity)).toEqual(['A', 'B'])
  expect(read).toEqual(['A', 'B'])
})

it('reads an entity again after an action, whose result it returns', async () => {
  const { rows, read } = rowsOf(['A', 'B'])
  await rows.list()
  const action = async () => {
    await rows.list()
    // What is read while the action is in progress may be as it was before.
    expect(read).toEqual(['A', 'B'])
    return 'done'
  }
  expect(await rows.change('B', action)).toBe('done')
  await rows.list()
  expect(read).toEqual(['A', 'B', 'B'])
})

it('reads change sets only of entities that have them', async () => {
  const snapshot = { runId: 'r', publishedAt: '2026-11-21T12:00:00Z' }
  const { rows, chains } = rowsOf(['A'], { snapshot })
  await rows.list()
  expect(chains).toEqual(['A'])
  const off = rowsOf(['A'], { snapshot }, { settings: { changes: false } })
  expect(await off.rows.list()).toMatchObject([{ row: { changes: { kind: 'off' } } }])
  expect(off.chains).toEqual([])
})

it('shows an entity whose change sets somebody has overwritten with that problem', async () => {
  const chain = new UnreadableObject('changes/A/latest.json', 'is not JSON')
  const { rows } = rowsOf(['A'], { snapshot: { runId: 'r', publishedAt: '2026-11-21T12:00:00Z' } }, { chain })
  const [read] = await rows.list()
  expect(problemsOf(read)[0]).toMatchObject({ kind: 'unreadable-data', entity: 'A' })
})

describe('a row is read again', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
  afterEach(() => void vi.useRealTimers())

  /** How often the first of the entities is read if its row is asked for twice. */
  async function readsAfter(ms: number, count: number, change: object): Promise<number> {
    const { rows, read } = rowsOf(
      Array.from({ length: count }, (_, index) => `E${index}`),
      change,
    )
    await rows.list().catch(() => undefined)
    vi.setSystemTime(Date.now() + ms)
    await rows.list().catch(() => undefined)
    return read.filter((entity) => entity === 'E0').length
  }

  it.each([
    ['within a second while its sync is running', 899, 900, 1, { running: {} }],
    ['within seconds while none is running', 3_999, 4_000, 1, {}],
    ['less often if there are many', 19_999, 20_000, 400, {}],
    ['within a second of many while its sync is running', 899, 900, 400, { running: {} }],
    ['within seconds of many while its sync waits', 3_999, 4_000, 400, { running: { status: 'waiting' } }],
  ])('%s', async (...[, knownMs, readMs, count, change]) => {
    expect(await readsAfter(knownMs, count, change)).toBe(1)
    expect(await readsAfter(readMs, count, change)).toBe(2)
  })

  it('at once if it could not be read', async () =>
    expect(await readsAfter(0, 1, new Error('throttled'))).toBe(2))
})

it('reads 400 entities a few at a time, and once what they have in common', async () => {
  const { rows, most, together } = rowsOf(Array.from({ length: 400 }, (_, index) => `E${index}`))
  expect((await rows.list()).length).toBe(400)
  expect(most()).toBeLessThanOrEqual(24)
  expect(together()).toBe(1)
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
  const [entity] = await rowsOf(['A'], { runs, snapshot }).rows.list()
  expect(entity?.row).toMatchObject({ trend: [20, 30], proof: 'exact', lastRun: { status: 'failed' } })
})

it('shows the problems of an entity as of the same reading as the row', async () => {
  const [entity] = await rowsOf(['A']).rows.list()
  expect(entity?.row.freshness).toEqual({ kind: 'never' })
  expect(problemsOf(entity)).toMatchObject([{ kind: 'no-snapshot', entity: 'A' }])
})

const runId = '20260301T060000000Z-0123456789ab'
/** Published a day ago. */
const dayOld = {
  snapshot: { runId, publishedAt: new Date(Date.now() - 86_400_000).toISOString(), documents: 30 },
}

it('reports that the change sets and the table stop before the published snapshot', async () => {
  const chain = { tip: '2', sets: [], reset: null }
  const [entity] = await rowsOf(['A'], dayOld, { settings: { columns: ['id'] }, chain }).rows.list()
  expect(problemsOf(entity).map(({ kind }) => kind)).toEqual(['changes-failed', 'table-failed'])
})

it('reports that the first comparison published nothing', async () => {
  const [entity] = await rowsOf(['A'], dayOld).rows.list()
  expect(problemsOf(entity).map(({ kind }) => kind)).toEqual(['changes-failed'])
})

it('reports no table of an entity without columns', async () => {
  const [entity] = await rowsOf(['A'], dayOld, { settings: { changes: false } }).rows.list()
  expect(problemsOf(entity)).toEqual([])
})
