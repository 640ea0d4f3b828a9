import { describe, expect, it } from 'vitest'
import {
  changesLatestKey,
  changesTableKey,
  partKey,
  refusedChangesKey,
  setManifestKey,
} from '../../functions/state/changes/change-keys.ts'
import {
  latestKey,
  manifestKey,
  pageKey,
  refusedKey,
  schemaChangesKey,
  schemaReportKey,
  tableKey,
} from '../../functions/state/snapshots/manifest.ts'
import { dataFileKey, tableFailureKey, tableLatestKey } from '../../functions/state/tables/table.ts'
import { type Bundle, permissions, synthesize } from './synthesize.ts'

const [entity, runId] = ['CL', '20260301T060000000Z-0123456789ab']
const keys = {
  'the published snapshot': latestKey(entity),
  'a manifest': manifestKey(entity, runId),
  'a page': pageKey({ entity, runId, attempt: 1 }, 1, 'u'),
  'a refused snapshot': refusedKey(entity, runId),
  'a schema report': schemaReportKey(entity, runId),
  'changes of a schema': schemaChangesKey(entity, runId),
  'the chain': changesLatestKey(entity),
  'a change set': setManifestKey(entity, runId),
  'records of a change set': partKey({ entity, runId }, 'records', '0'.repeat(64)),
  'a refused change set': refusedChangesKey(entity, runId),
  'the list of pages for Athena': tableKey(entity),
  'the list of records for Athena': changesTableKey(entity),
  'the table': tableLatestKey(entity),
  'a file of the table': dataFileKey(entity, runId, 'u'),
  'why the table failed': tableFailureKey(entity),
}

/** The patterns of the keys with which a function may do this. */
function patternsOf(bundle: Bundle, name: string, action: string): RegExp[] {
  const statements = permissions(bundle).filter(
    ({ policy, actions }) => policy.startsWith(`${name}Role`) && actions.includes(`s3:${action}`),
  )
  const suffixes = statements.flatMap(({ resources }) =>
    resources.map((resource) => /"\/([^"]*)"\]\]\}$/.exec(JSON.stringify(resource))?.[1] ?? 'not an object'),
  )
  return suffixes.map((text) => new RegExp(`^${text.replaceAll('.', '\\.').replaceAll('*', '.*')}$`))
}

const functions = ['Worker', 'Compare', 'Tables', 'SyncApi', 'Freshness', 'Proxy', 'OpenApi']

/** Which functions may read, write and delete each kind of object. */
function rightsIn(bundle: Bundle): Record<string, readonly string[]> {
  const rights = functions.flatMap((name) =>
    (['Get', 'Put', 'Delete'] as const).map((verb) => ({
      name,
      verb: verb.charAt(0),
      patterns: patternsOf(bundle, name, `${verb}Object`),
    })),
  )
  return Object.fromEntries(
    Object.entries(keys).map(([kind, key]) => {
      const allowed = rights.filter(({ patterns }) => patterns.some((pattern) => pattern.test(key)))
      const byName = Map.groupBy(allowed, ({ name }) => name)
      return [kind, [...byName].map(([name, verbs]) => `${name} ${verbs.map(({ verb }) => verb).join('')}`)]
    }),
  )
}

describe('functions get, put and delete', () => {
  const ofSnapshots = ['Worker GPD', 'Compare G', 'Tables G', 'SyncApi G']
  const ofChanges = ['Worker G', 'Compare GPD', 'SyncApi G']
  const lists = ['Worker GP', 'Compare GP']
  const ofTables = ['Tables GPD', 'SyncApi G']
  const reports = ['Worker GPD', 'Compare G', 'Tables GP', 'SyncApi G']
  const expected: Readonly<Record<keyof typeof keys, readonly string[]>> = {
    'the published snapshot': [...ofSnapshots, 'Freshness G'],
    'a manifest': ofSnapshots,
    'a page': ofSnapshots,
    'a refused snapshot': ofSnapshots,
    'a schema report': reports,
    'changes of a schema': [...reports, 'Freshness G'],
    'the chain': [...ofChanges, 'Freshness G'],
    'a change set': [...ofChanges, 'Freshness G'],
    'records of a change set': ofChanges,
    'a refused change set': [...ofChanges, 'Freshness G'],
    'the list of pages for Athena': lists,
    'the list of records for Athena': lists,
    'the table': [...ofTables, 'Freshness G'],
    'a file of the table': ofTables,
    'why the table failed': [...ofTables, 'Freshness G'],
  }

  it('the objects that each of them is for, and no others', () => {
    expect(rightsIn(synthesize())).toEqual(expected)
  })

  it('with increments, in addition, the worker puts change sets', () => {
    const increments = { schedule: 'rate(5 minutes)' }
    const rights = rightsIn(synthesize({ entities: [{ name: 'CL', schedule: 'rate(6 hours)', increments }] }))
    const withWorker = Object.entries(expected).map(([kind, functions]) => {
      const isOfChain = functions.includes('Compare GPD')
      return [kind, isOfChain ? functions.map((one) => one.replace('Worker G', 'Worker GP')) : functions]
    })
    expect(rights).toEqual(Object.fromEntries(withWorker))
  })
})
