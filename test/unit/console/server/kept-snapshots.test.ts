import { expect, it } from 'vitest'
import { createKeptSnapshots } from '../../../../console/server/document-views/pages.ts'
import type { Manifest } from '../../../../stored/snapshots/manifest.ts'

const idOf = (index: number) => `20261121T${String(100_000 + index)}000Z-0123456789ab`
const [oldest, middle, newest] = [idOf(1), idOf(2), idOf(3)]

const counts = { documents: 96, uniqueIds: 95, reportedTotal: 94, proof: 'within-tolerance', attempts: 2 }
const manifestOf = (entity: string, runId: string) =>
  ({
    entity,
    runId,
    openedAt: `opened ${runId}`,
    finishedAt: `finished ${runId}`,
    ...counts,
    ...(runId === oldest && { republishedFrom: 'older' }),
    pages: [{ bytes: 100 }, { bytes: 20 }, { bytes: 3 }],
  }) as unknown as Manifest

/** The kept snapshots of CL: the bucket has these folders, and one of them no manifest. */
function kept({
  folders = [] as readonly string[],
  unpublished = '',
  latest = newest as string | null,
} = {}) {
  const asked: string[] = []
  const created = createKeptSnapshots({
    async *listRuns(entity) {
      if (entity === 'CL') yield* folders
    },
    readLatest: async () => (latest === null ? undefined : ({ value: { runId: latest } } as never)),
    async readManifest(entity, runId) {
      asked.push(`${entity} ${runId}`)
      return runId === unpublished ? undefined : manifestOf(entity, runId)
    },
  })
  return {
    list: (entity: string) => created.list(entity),
    read: (entity: string, runId: string) => created.read(entity, runId),
    asked,
  }
}

it('lists the published snapshots, the newest first', async () => {
  // The manifest of the newest is stored, and its publication still in progress.
  const folders = [middle, 'latest', newest, oldest, idOf(0)]
  const { list } = kept({ folders, unpublished: idOf(0), latest: middle })
  const { published, snapshots } = await list('CL')
  expect([published, snapshots.map(({ runId }) => runId)]).toEqual([middle, [middle, oldest]])
  expect(snapshots[0]?.republishedFrom).toBeNull()
  expect(snapshots[1]).toEqual({
    runId: oldest,
    openedAt: `opened ${oldest}`,
    finishedAt: `finished ${oldest}`,
    ...counts,
    republishedFrom: 'older',
    pages: 3,
    bytes: 123,
  })
})

it('lists none before the first publication', async () => {
  expect(await kept({ latest: null }).list('CL')).toEqual({ published: null, snapshots: [] })
})

it('reads a manifest once, that of each entity', async () => {
  const { list, read, asked } = kept({ folders: [oldest] })
  expect((await read('AD', oldest)).entity).toBe('AD')
  expect((await read('CL', oldest)).entity).toBe('CL')
  await list('CL')
  await read('AD', oldest)
  expect(asked).toEqual([`AD ${oldest}`, `CL ${oldest}`])
})

it('keeps the last manifests in memory, and reads a missing one again', async () => {
  const { read, asked } = kept({ unpublished: newest })
  const runs = Array.from({ length: 33 }, (_, index) => idOf(100 + index))
  for (const run of runs) await read('CL', run)
  await read('CL', idOf(132))
  await read('CL', idOf(101))
  expect(asked.length).toBe(33)
  await read('CL', idOf(100))
  expect(asked.length).toBe(34)
  for (const _ of [1, 2]) await expect(read('CL', newest)).rejects.toThrow('This snapshot does not exist.')
  expect(asked.length).toBe(36)
})

it.each([
  ['', 0],
  ['x', 0],
  [`${oldest}/..`, 0],
  [newest, 1],
])('has no snapshot %j', async (runId, reads) => {
  const { read, asked } = kept({ unpublished: newest })
  await expect(read('CL', runId)).rejects.toMatchObject({
    problem: 'not-found',
    message: 'This snapshot does not exist. keepSnapshots limits how many are kept.',
  })
  expect(asked.length).toBe(reads)
})
