import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { checkKey } from '../../functions/publisher/check/entries.ts'
import {
  changesLatestKey,
  changesTableKey,
  partKey,
  proposalKey,
  refusedChangesKey,
  setManifestKey,
  unpublishedKey,
} from '../../stored/changes/change-keys.ts'
import {
  checkedManifestKey,
  evidenceKey,
  latestKey,
  manifestKey,
  pageKey,
  refusedKey,
  runPrefix,
  schemaChangesKey,
  schemaReportKey,
  tableKey,
} from '../../stored/snapshots/manifest.ts'
import { dataFileKey, metadataKey, tableFailureKey, tableLatestKey } from '../../stored/tables/table.ts'
import { isAllowed } from './iam.ts'
import { type Bundle, permissions, synthesize } from './synthesize.ts'

const [entity, runId] = ['CL', '20260301T060000000Z-0123456789ab']
const attempt = { entity, runId, attempt: 1 }

const ofSnapshot = 'Publisher G, Worker GD, Compare GV, Tables G, SyncApi G'
const ofCheck = 'Publisher GP, Worker GD, Compare GV, Tables G, SyncApi G'
const ofPage = 'Publisher G, Worker GND, Compare GV, Tables G, SyncApi G'
const ofReport = 'Publisher G, Worker GD, Compare GV, Tables GP, SyncApi G'
const ofSet = 'Publisher GP, Worker G, Compare GDV, SyncApi G'
const ofPart = 'Publisher G, Worker GN, Compare GNDV, SyncApi G'
const ofComparison = 'Publisher G, Worker G, Compare GPDV, SyncApi G, Freshness G'
const ofTable = 'Tables GPDV, SyncApi G'

/** What each role may do with each object, if every feature is on; all others may do nothing. */
const rights: Readonly<Record<string, readonly [key: string, rights: string]>> = {
  'the published snapshot': [
    latestKey(entity),
    'Publisher GP, Worker G, Compare G, Tables G, SyncApi G, Freshness G',
  ],
  'a manifest': [manifestKey(entity, runId), `${ofCheck}, Freshness G`],
  'a refused snapshot': [refusedKey(entity, runId), ofCheck],
  evidence: [evidenceKey(entity, runId), ofCheck],
  'a checked manifest': [checkedManifestKey(entity, runId), ofCheck],
  'checked entries': [checkKey(runPrefix(entity, runId), 'a1', 1), ofCheck],
  'a page': [pageKey(attempt, 1, 'u'), ofPage],
  'a page of a range': [pageKey({ ...attempt, range: 2 }, 1, 'u'), ofPage],
  'a schema report': [schemaReportKey(entity, runId), ofReport],
  'changes of a schema': [schemaChangesKey(entity, runId), `${ofReport}, Freshness G`],
  'another object of a snapshot': [`${runPrefix(entity, runId)}other.json`, ofSnapshot],
  'the chain': [changesLatestKey(entity), 'Publisher GP, Worker G, Compare G, SyncApi G, Freshness G'],
  'a change set': [setManifestKey(entity, runId), `${ofSet}, Freshness G`],
  'records of a change set': [partKey({ entity, runId }, 'records', '0'.repeat(32)), ofPart],
  'a proposed change set': [proposalKey({ entity, runId }, '0'.repeat(32)), ofPart],
  'a refused change set': [refusedChangesKey(entity, runId), ofComparison],
  'why a comparison failed': [unpublishedKey(entity), ofComparison],
  'the list of pages for Athena': [tableKey(entity), 'Publisher GP'],
  'the list of records for Athena': [changesTableKey(entity), 'Publisher GP'],
  'the table': [tableLatestKey(entity), `${ofTable}, Freshness G`],
  'a file of the table': [dataFileKey(entity, runId, 'u'), ofTable],
  'the metadata of the table': [
    metadataKey(entity, { version: 1, runId, unique: 'u' }),
    `${ofTable}, Freshness G`,
  ],
  'why the table failed': [tableFailureKey(entity), `${ofTable}, Freshness G`],
  'an object of nothing': ['other/CL/latest.json', ''],
}

/** `P` may overwrite an object, `N` may only put a new one, and `V` may delete versions. */
const verbs = [
  ['G', 'GetObject'],
  ['P', 'PutObject'],
  ['N', 'PutObject', { 's3:if-none-match': '*' }],
  ['D', 'DeleteObject'],
  ['V', 'DeleteObjectVersion'],
] as const

function rightsIn(bundle: Bundle): Record<string, string> {
  const statements = permissions(bundle)
  const roles = bundle.of('AWS::IAM::Role').map(({ id }) => ({
    name: id.replace(/Role[0-9A-F]{8}$/, ''),
    statements: statements.filter((each) => each.roles.includes(id)),
  }))
  const rightsOn = (key: string) =>
    roles.flatMap(({ name, statements }) => {
      const letters = verbs
        .filter(([, action, context = {}]) => isAllowed(statements, { action, key, context }))
        .map(([letter]) => letter)
        .join('')
        .replace('PN', 'P')
      return letters ? [`${name} ${letters}`] : []
    })
  return Object.fromEntries(Object.entries(rights).map(([kind, [key]]) => [kind, rightsOn(key).join(', ')]))
}

describe('roles get, put and delete', () => {
  const schedule = 'rate(1 day)'

  it('the objects that each of them is for, and no others', () => {
    const entities = [{ name: 'CL', schedule, increments: { schedule: 'rate(5 minutes)' }, columns: ['id'] }]
    const all = Object.entries(rights).map(([kind, [, text]]) => [kind, text])
    expect(rightsIn(synthesize({ eraseWithinDays: 30, entities }))).toEqual(Object.fromEntries(all))
  })

  it('without increments and eraseWithinDays, no versions, and the worker puts nothing of change sets', () => {
    const fewer = Object.entries(rights).map(([kind, [, text]]) => [
      kind,
      text.replace('Worker GN, ', 'Worker G, ').replaceAll('V', ''),
    ])
    expect(rightsIn(synthesize({ entities: [{ name: 'CL', schedule }] }))).toEqual(Object.fromEntries(fewer))
  })

  it('on an emulator, which does not know the condition of new objects, the worker may put any page', () => {
    vi.stubEnv('CDK_DEFAULT_ACCOUNT', '000000000000')
    onTestFinished(() => void vi.unstubAllEnvs())
    const { 'a page': onPage } = rightsIn(
      synthesize({ name: 'Emulated', entities: [{ name: 'CL', schedule }] }),
    )
    expect(onPage).toContain('Worker GPD')
  })
})
