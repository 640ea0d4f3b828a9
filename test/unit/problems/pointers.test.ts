import { expect, it } from 'vitest'
import { type PointersContext, pointersOf } from '../../../functions/problems/pointers.ts'
import { entityNamed } from '../../entity-named.ts'
import { latest, runIdAt } from './facts-of.ts'

const published = { ...latest, runId: runIdAt(2), sha256: 's' }
const keyOf = (hours: number) => `changes/CL/${runIdAt(hours)}/manifest.json`

/** Checks an entity whose change sets had no list when it was read. */
function check(keys: readonly string[], list?: object) {
  const context = {
    state: { readRuns: async () => [] },
    snapshots: { readLatest: async () => ({ value: published }), readManifest: async () => ({}) },
    changes: {
      readLatest: async () => list && { value: list },
      async *listKeys() {
        yield* keys
      },
    },
  } as unknown as PointersContext
  const read = { chain: undefined, table: undefined }
  return pointersOf(context)({ settings: entityNamed('CL'), latest: published, ...read })
}

it('the list of change sets is missing where sets of older runs remain', () =>
  expect(check([keyOf(3)])).rejects.toThrow('changes/CL/latest.json does not exist.'))

it.each<[name: string, keys: readonly string[], list?: object]>([
  ['has only parts', [`changes/CL/${runIdAt(3)}/records-1.ndjson.gz`]],
  ['stores its manifest before the list', [keyOf(2)]],
  ['is of a run that has just published', [keyOf(1)]],
  ['is of an older run, and stored its list meanwhile', [keyOf(3)], { sets: [] }],
])('nothing is missing while the first comparison %s', (...[, keys, list]) =>
  expect(check(keys, list)).resolves.toBeUndefined(),
)
