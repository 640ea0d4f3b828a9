import { expect, it } from 'vitest'
import {
  erasureCutoff,
  findPublished,
  isErasable,
  keptSnapshots,
} from '../../../../functions/state/erasure/kept-runs.ts'

/** What is published of an entity with objects of these runs, of which some have a manifest. */
const published = (runs: readonly string[], manifests: readonly string[], latest: string | undefined) =>
  findPublished(
    {
      readLatest: async () => latest && { value: { runId: latest } },
      async *listRuns() {
        yield* runs
      },
      readManifest: async (_: string, runId: string) => (manifests.includes(runId) ? {} : undefined),
    } as unknown as Parameters<typeof findPublished>[0],
    'CL',
  )

it.each<[name: string, runs: string[], manifests: string[], previous: string | undefined]>([
  ['the first one', ['r3'], ['r3'], undefined],
  ['after others', ['r1', 'r2', 'r3'], ['r1', 'r2', 'r3'], 'r2'],
  ['after a run that published nothing', ['r1', 'r2', 'r3'], ['r1', 'r3'], 'r1'],
  ['before a run that is about to be published', ['r2', 'r3', 'r4'], ['r2', 'r3', 'r4'], 'r2'],
])('the snapshot that the published one replaced: %s', async (...[, runs, manifests, previous]) => {
  expect((await published(runs, manifests, 'r3'))?.runs).toEqual({ published: 'r3', previous })
})

it('is not known before the first publication', async () => {
  expect(await published(['r1'], ['r1'], undefined)).toBeUndefined()
})

it.each<[published: string, previous: string | undefined, kept: string[]]>([
  ['b', 'a', ['b', 'a']],
  ['b', undefined, ['b']],
  // It was replaced so long ago that its content must go.
  ['0', '/', ['0']],
  ['a', '0', ['a', '0']],
])('of %s and %s these stay if the cutoff is a', (published, previous, kept) => {
  expect(keptSnapshots({ published, previous }, 'a')).toEqual(kept)
})

it('keeps nothing of an entity without a published snapshot', () => {
  expect(keptSnapshots(undefined, 'a')).toEqual([])
})

it('erases old versions also of objects that stay', () => {
  const version = (key: string, isLatest: boolean) => ({ key, isLatest, versionId: 'v', writtenAt: 0 })
  const kept = new Set(['k'])
  const erasable = [version('k', true), version('k', false), version('x', true)].map((one) =>
    isErasable(one, kept),
  )
  expect(erasable).toEqual([false, true, true])
})

it('names the cutoff as runs are named', () => {
  expect(erasureCutoff(7, Date.parse('2026-11-21T12:00:00.005Z'))).toBe('20261114T120000005Z')
})
