import { expect, it } from 'vitest'
import { refusedChangesKey } from '../../../../stored/changes/change-keys.ts'
import { type EntityStores, nameOfVersion, readStored } from '../../../../stored/inventory/stored-entity.ts'

interface Pointers {
  readonly latest?: string
  readonly chain?: string
}

/** What is stored of an entity whose pointers are these at each reading, and the last ones afterwards. */
function reading(...pointers: readonly Pointers[]) {
  const of = (name: keyof Pointers) => {
    let reads = 0
    return () => pointers[Math.min(reads++, pointers.length - 1)]?.[name]
  }
  const [latestRun, etag] = [of('latest'), of('chain')]
  let listings = 0
  const stored = <T>(value: string | undefined, of: T) => value && { value: of, etag: value }
  const stores = {
    versions: {
      async *listVersions() {
        listings++
        yield []
      },
    },
    snapshots: {
      async readLatest() {
        const runId = latestRun()
        return stored(runId, { runId })
      },
    },
    changes: { readLatest: async () => stored(etag(), {}) },
    tables: { readLatest: async () => undefined },
  } as unknown as EntityStores
  return { read: () => readStored(stores, 'CL'), listings: () => listings }
}

it('has the refused change set of a run, also after it was accepted', async () => {
  const key = refusedChangesKey('CL', 'r1')
  const empty = { readLatest: async () => undefined }
  const stores = {
    versions: {
      async *listVersions(prefix: string) {
        yield key.startsWith(prefix) ? [{ key }] : []
      },
    },
    snapshots: empty,
    tables: empty,
    changes: {
      ...empty,
      readManifest: async () => ({ value: { kind: 'changes' } }),
      readRefused: async () => ({ base: 'r0' }),
    },
  } as unknown as EntityStores
  const { sets, refusedSets } = await readStored(stores, 'CL')
  expect([[...sets.keys()], [...refusedSets.keys()]]).toEqual([['r1'], ['r1']])
})

it('a version that is overwritten in a bucket without versioning is another one', () => {
  const version = { key: 'k', versionId: 'null', isLatest: true, writtenAt: 1 }
  expect(nameOfVersion({ ...version, writtenAt: 2 })).not.toBe(nameOfVersion(version))
})

const perListing = 5

it.each<[name: string, pointers: readonly Pointers[], listings: number]>([
  ['nothing is published', [{}], 1],
  ['nothing changes', [{ latest: 'r1', chain: 'a' }], 1],
  [
    'a snapshot is published',
    [
      { latest: 'r1', chain: 'a' },
      { latest: 'r2', chain: 'a' },
    ],
    2,
  ],
  ['the first snapshot is published', [{}, { latest: 'r1' }], 2],
  [
    'the chain moves',
    [
      { latest: 'r1', chain: 'a' },
      { latest: 'r1', chain: 'b' },
    ],
    2,
  ],
])('is read once more only if it changes meanwhile: %s', async (...[, pointers, times]) => {
  const { read, listings } = reading(...pointers)
  const { latest, chain } = await read()
  const last = pointers.at(-1)
  expect([latest?.runId, chain?.etag, listings()]).toEqual([last?.latest, last?.chain, times * perListing])
})
