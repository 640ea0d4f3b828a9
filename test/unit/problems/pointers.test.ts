import { expect, it } from 'vitest'
import { type PointersContext, pointersOf } from '../../../functions/problems/pointers.ts'
import { entityNamed } from '../../entity-named.ts'
import { latest, runIdAt } from './facts-of.ts'

const published = { ...latest, runId: runIdAt(2), sha256: 's' }
const missing = 'changes/CL/latest.json does not exist.'

it.each<[what: string, key: string, list: object | undefined, problem: string | undefined]>([
  ['remains of an older run', `${runIdAt(3)}/manifest.json`, undefined, missing],
  ['has only parts', `${runIdAt(3)}/records-1.ndjson.gz`, undefined, undefined],
  ['is stored before the list', `${runIdAt(2)}/manifest.json`, undefined, undefined],
  ['has a list since it was read', `${runIdAt(3)}/manifest.json`, { value: {} }, undefined],
])('a change set that %s shows a missing list or not', async (...[, key, list, problem]) => {
  const snapshots = { readLatest: async () => ({ value: published }), readManifest: async () => ({}) }
  const changes = { readLatest: async () => list, listKeys: () => [`changes/CL/${key}`] }
  const check = pointersOf({ snapshots, changes } as unknown as PointersContext)
  const nothing = { chain: undefined, readSet: undefined, table: undefined }
  const followed = { settings: entityNamed('CL'), latest: published, ...nothing }
  expect(await check(followed).catch((error: { problem: string }) => error.problem)).toBe(problem)
})
