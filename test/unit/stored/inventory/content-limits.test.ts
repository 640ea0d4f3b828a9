import { expect, it } from 'vitest'
import { erasureCutoff, readContentLimits } from '../../../../stored/inventory/stored-entity.ts'

/** What stays of an entity with objects of these runs, of which some have a manifest. */
const kept = async (
  { runs, manifests, latest }: { runs: string[]; manifests: string[]; latest: string | undefined },
  cutoff: string,
) => {
  const snapshots = {
    readLatest: async () => latest && { value: { runId: latest, publishedAt: 'then' } },
    async *listRuns() {
      yield* runs
    },
    readManifest: async (_: string, runId: string) => (manifests.includes(runId) ? {} : undefined),
  } as unknown as Parameters<typeof readContentLimits>[0]
  return readContentLimits(snapshots, 'CL', cutoff)
}

it.each<[name: string, runs: string[], manifests: string[], previous: string[]]>([
  ['the first one', ['r3'], ['r3'], []],
  ['after others', ['r1', 'r2', 'r3'], ['r1', 'r2', 'r3'], ['r2']],
  ['after a run that published nothing', ['r1', 'r2', 'r3'], ['r1', 'r3'], ['r1']],
  ['before a run that is about to be published', ['r2', 'r3', 'r4'], ['r2', 'r3', 'r4'], ['r2']],
])('the snapshot that the published one replaced: %s', async (...[, runs, manifests, previous]) => {
  const found = await kept({ runs, manifests, latest: 'r3' }, 'r3')
  expect(found).toMatchObject({ publishedAt: 'then', kept: ['r3', ...previous] })
})

it('keeps no snapshot before the first publication', async () => {
  const found = await kept({ runs: ['r1'], manifests: ['r1'], latest: undefined }, 'r1')
  expect(found).toMatchObject({ publishedAt: undefined, kept: [] })
})

it.each<[published: string, previous: string, kept: string[], old: string[]]>([
  ['b', 'a', ['b', 'a'], ['+']],
  // It was replaced so long ago that its content must go.
  ['0', '/', ['0'], ['+', '/']],
  ['a', '0', ['a', '0'], ['+']],
])('of %s and %s these stay if the cutoff is a', async (...[published, previous, expected, old]) => {
  const runs = [previous, published]
  const limits = await kept({ runs, manifests: runs, latest: published }, 'a')
  expect(limits.kept).toEqual(expected)
  expect(['+', previous, published].filter(limits.isOld)).toEqual(old)
})

it('names the cutoff as runs are named', () => {
  expect(erasureCutoff(7, Date.parse('2026-11-21T12:00:00.005Z'))).toBe('20261114T120000005Z')
})
