import { expect, it } from 'vitest'
import { problemsOf } from '../../../functions/problems/problems.ts'
import { type LookContext, readEntities, readFacts } from '../../../functions/problems/read-facts.ts'
import type { EntitySettings } from '../../../functions/runtime/settings.ts'
import { UnreadableObject } from '../../../stored/unreadable-object.ts'
import { entityNamed } from '../../entity-named.ts'
import { latest, now } from './facts-of.ts'

const increments = { schedule: 'rate(5 minutes)', lookbackMinutes: 60 }
const others = { eraseWithinDays: undefined, credentials: {} }
const counted = { missedByIncrements: 2, invisibleToIncrements: 1 }
const none = { missedByIncrements: undefined, invisibleToIncrements: undefined }
const manifests: Readonly<Record<string, object>> = {
  full: { kind: 'changes', ...counted },
  reset: { kind: 'reset' },
  increment: { kind: 'increment' },
}

/** A deployment with the entity CL, whose chain ends like this. */
const stored = (
  settings: Partial<EntitySettings>,
  { chain = {}, ...change }: Partial<LookContext> & { readonly chain?: object } = {},
): LookContext => ({
  settings: { entities: [entityNamed('CL', { increments, ...settings })], ...others },
  state: {
    readEntities: async (names) => names.map((name) => (name === 'CL' ? { latest } : {})),
    readNotWoken: async () => [],
    readRuns: async () => [],
  },
  looks: {
    readWatched: async () => ({}),
    readAlertFailures: async () => [],
    readWholeLook: async () => ({ problems: [], announced: [], problemsAt: null, entities: [] }),
  },
  changes: {
    readLatest: async () => ({ value: { tip: 'full', sets: [], ...chain } }) as never,
    readRefused: async () => undefined,
    readUnpublished: async () => undefined,
    readManifest: async (_, runId) => ({ value: manifests[runId] }) as never,
  },
  tables: {
    readLatest: async () => undefined,
    readFailure: async () => undefined,
    readSchemaChanges: async () => undefined,
  },
  snapshots: { readLatest: async () => undefined, listFolders: async () => ['CL'] },
  checkPointers: async () => undefined,
  schedulesOf: () => ({ kind: 'unknown' }),
  deployOf: () => undefined,
  now: () => now,
  ...change,
})

it.each<[name: string, settings: Partial<EntitySettings>, chain: object, expected: object]>([
  ['from the last full set', {}, {}, counted],
  ['also after increments', {}, { tip: 'increment', snapshot: { runId: 'full' } }, counted],
  ['not from a reset, which compares nothing', {}, { tip: 'reset' }, none],
  ['not of an entity without increments', { increments: undefined }, {}, none],
  ['not without change sets', { changes: false }, {}, none],
])('what increments had missed is known: %s', async (_, ...[settings, chain, expected]) => {
  const { entities, unread } = await readFacts(stored(settings, { chain }))
  expect(unread).toEqual([])
  const { missedByIncrements, invisibleToIncrements } = entities[0]?.audit ?? {}
  expect({ missedByIncrements, invisibleToIncrements }).toEqual(expected)
})

it('what is read of one of several entities is its own', async () => {
  const context = stored(
    {},
    { settings: { entities: ['AD', 'CL'].map((name) => entityNamed(name)), ...others } },
  )
  const { entities } = await readEntities(context, [entityNamed('CL')])
  expect(entities).toMatchObject([{ settings: { name: 'CL' }, state: { latest }, credentialsArea: 'all' }])
})

it('change sets that were turned off are neither behind nor missing', async () => {
  const { entities } = await readFacts(stored({ changes: false, increments: undefined }))
  expect(entities[0]?.chain).toEqual({ kind: 'off' })
})

it('an object that somebody has overwritten is a problem of its entity, and does not hide the others', async () => {
  const failure = new UnreadableObject('changes/CL/latest.json', 'is not JSON')
  const { changes } = stored({})
  const readLatest: typeof changes.readLatest = (name) =>
    name === 'CL' ? Promise.reject(failure) : Promise.resolve(undefined)
  const read = await readFacts({
    ...stored({}, { changes: { ...changes, readLatest } }),
    settings: { entities: ['CL', 'AD'].map((name) => entityNamed(name)), ...others },
  })
  expect(read.unread).toEqual([])
  expect(problemsOf(read).filter(({ entity }) => entity === 'CL')).toEqual([
    {
      kind: 'unreadable-data',
      level: 'problem',
      entity: 'CL',
      since: null,
      evidence: 'CL: changes/CL/latest.json is not JSON.',
      action: 'Restore the newest intact version of the object. Then sync CL.',
      command: 'verify CL --repair',
      step: { kind: 'verify-repair', entity: 'CL' },
    },
  ])
})

it('an object that somebody has overwritten does not hide what is stored of other entities', async () => {
  const snapshots = {
    readLatest: async () => Promise.reject(new UnreadableObject('snapshots/PR/latest.json', 'is not JSON')),
    listFolders: async () => ['PR'],
  }
  const { orphans, unread } = await readFacts(stored({}, { snapshots }))
  expect([orphans, unread]).toMatchObject([[{ entity: 'PR', snapshot: null }], []])
})

it('what is stored of an entity that is not configured is known, and how to deploy its removal', async () => {
  const snapshots = { readLatest: async () => undefined, listFolders: async () => ['CL', 'PR'] }
  const deployOf = (entity: string) => (entity === 'PR' ? 'npm run deploy' : undefined)
  const { orphans } = await readFacts(stored({}, { snapshots, deployOf }))
  expect(orphans).toMatchObject([{ entity: 'PR', snapshot: null, deploy: 'npm run deploy' }])
})

it('entities are known although it is unknown which others are stored', async () => {
  const failure = new Error('Access denied.')
  const listFolders = () => Promise.reject(failure)
  const { snapshots } = stored({})
  const read = await readFacts(stored({}, { snapshots: { ...snapshots, listFolders } }))
  expect(read.entities.map(({ settings }) => settings.name)).toEqual(['CL'])
  expect(read.orphans).toEqual([])
  expect(read.unread).toEqual([{ failure }])
})

it('credentials are set for the area of the documents where an area has its own', async () => {
  const settings = { entities: [entityNamed('CL')], ...others, credentials: { logistics: 'secret' } }
  expect((await readFacts(stored({}, { settings }))).entities[0]?.credentialsArea).toBe('documents')
})
