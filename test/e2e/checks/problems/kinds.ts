import type { ConfigurationInput } from '../../../../lib/config.ts'
import {
  changesLatestKey,
  refusedChangesKey,
  setManifestKey,
  unpublishedKey,
} from '../../../../stored/changes/change-keys.ts'
import type { ChangesLatest } from '../../../../stored/changes/changes-latest.ts'
import type { EntityState, LastIncrement } from '../../../../stored/entity-items.ts'
import { newRunId, type PublishedRun } from '../../../../stored/run/run.ts'
import { manifestKey, schemaChangesKey } from '../../../../stored/snapshots/manifest.ts'
import { type TableLatest, tableFailureKey, tableLatestKey } from '../../../../stored/tables/table.ts'
import { alerts } from '../../receivers.ts'
import type { State } from './stored.ts'

/** Everything that can be a problem is on, and no schedule starts anything while the checks run. */
export const watched = {
  name: 'Watched',
  eraseWithinDays: 365,
  alerts,
  entities: [
    {
      name: 'Full',
      schedule: 'rate(30 days)',
      increments: { schedule: 'rate(30 days)' },
      columns: { id: 'string' },
      schemaReport: true,
    },
    { name: 'Idle', schedule: 'rate(30 days)', enabled: false },
    // It is never synced.
    { name: 'Later', schedule: 'rate(30 days)' },
  ],
} as const satisfies Partial<ConfigurationInput>

/** What is stored of the entities once they are published, and of Full after its first of two syncs. */
export interface Stored {
  readonly full: EntityState
  readonly idle: EntityState
  readonly run: PublishedRun
  readonly idleRun: PublishedRun
  readonly chain: ChangesLatest
  readonly chainBefore: ChangesLatest
  readonly tableBefore: TableLatest
  readonly set: object
}

/** How the state shows a kind of problem. */
export interface Kind {
  readonly kind: string
  readonly entity?: 'Full' | 'Idle' | 'Gone'
  /** Notes are not mailed. */
  readonly level?: 'note'
  readonly evidence: RegExp
  readonly state: State
}

const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString()
const daysAgo = (days: number) => ago(24 * days)
export const entityKey = (name: string) => ({ pk: `entity#${name}`, sk: 'entity' })
const runKey = (name: string, runId: string) => ({ pk: `entity#${name}`, sk: `run#${runId}` })

export const notWoken: State = {
  items: [
    [
      { pk: 'slots', sk: 'not-woken#Worker' },
      {
        by: 'Worker',
        runId: newRunId(Date.now()),
        reason: 'AccessDeniedException',
        since: ago(0),
        until: Date.now() + 3_600_000,
      },
    ],
  ],
}

export function kindsOf({ full, idle, run, idleRun, chain, chainBefore, tableBefore, set }: Stored): Kind[] {
  const [previous, { runId }] = [chainBefore.tip, run]
  const ofFull = (change: object): State => ({ items: [[entityKey('Full'), { ...full, ...change }]] })
  const ofIdle = (change: object): State => ({ items: [[entityKey('Idle'), { ...idle, ...change }]] })
  const { manifest: _manifest, proof: _proof, ...begun } = run
  /** The last two runs ended so. */
  const ended = (change: object): State => {
    const recentRuns = [newRunId(Date.now()), newRunId(Date.now() - 60_000)]
    const runs = recentRuns.map(
      (runId, index) =>
        [
          runKey('Full', runId),
          { ...begun, runId, status: 'failed', endedAt: ago(index / 60), ...change },
        ] as const,
    )
    return { items: [[entityKey('Full'), { ...full, recentRuns }], ...runs] }
  }
  const increments = (last: Partial<LastIncrement>, days = 0) =>
    ofFull({
      increments: {
        window: { from: daysAgo(days + 1), to: daysAgo(days) },
        records: {},
        last: {
          runId: newRunId(Date.now()),
          status: 'failed',
          reason: 'It timed out.',
          endedAt: ago(0),
          ...last,
        },
      },
    })
  const setWith = (change: object): State => ({
    objects: { [setManifestKey('Full', runId)]: { ...set, ...change } },
  })
  const behind = (key: string, reason: object): State => ({
    objects: { [changesLatestKey('Full')]: chainBefore, [key]: reason },
  })
  const of = { entity: 'Full' } as const
  const note = { ...of, level: 'note' } as const
  return [
    {
      ...of,
      kind: 'run-failed',
      evidence: /last 2 runs of Full failed: It broke\./,
      state: ended({ reason: 'It broke.' }),
    },
    {
      ...of,
      kind: 'credentials',
      evidence: /the platform rejected the credentials/,
      state: ended({ cause: 'credentials', documents: 0, reason: 'Rejected.' }),
    },
    {
      ...of,
      kind: 'run-refused',
      evidence: /it found 10 documents, .*% fewer/,
      state: ended({
        status: 'refused',
        reason: 'Fewer.',
        guarded: { decidedAt: ago(0), uniqueIds: 10, refusedBy: 'maxShrinkPercent' },
      }),
    },
    {
      kind: 'platform-away',
      evidence: /platform was away when the last run of Idle ended: No host\./,
      state: {
        items: [
          [
            runKey('Idle', idleRun.runId),
            { ...idleRun, status: 'failed', cause: 'platform-away', reason: 'No host.' },
          ],
        ],
      },
    },
    {
      ...of,
      kind: 'unreadable-data',
      evidence: /manifest\.json/,
      state: { objects: { [manifestKey('Full', runId)]: 'damaged' } },
    },
    {
      ...of,
      kind: 'no-snapshot',
      evidence: /Full has no snapshot yet/,
      state: ofFull({ latest: undefined, recentRuns: [] }),
    },
    {
      ...of,
      kind: 'stale',
      evidence: /rate\(30 days\) allows 60 d/,
      state: ofFull({ latest: { ...full.latest, publishedAt: daysAgo(61) } }),
    },
    { ...of, kind: 'increments-stale', evidence: /It timed out/, state: increments({}, 95) },
    { ...note, kind: 'increments-failed', evidence: /It timed out/, state: increments({}) },
    {
      ...note,
      kind: 'increments-skipped',
      evidence: /No slot/,
      state: increments({ status: 'skipped', code: 'no-slot', reason: 'No slot.' }),
    },
    {
      ...of,
      kind: 'increments-missed',
      evidence: /found 3 changes/,
      state: setWith({ missedByIncrements: 3 }),
    },
    {
      ...note,
      kind: 'increments-invisible',
      evidence: /found 2 changes/,
      state: setWith({ invisibleToIncrements: 2 }),
    },
    {
      ...of,
      kind: 'changes-refused',
      evidence: /it deletes 420 of 700 documents/,
      state: behind(refusedChangesKey('Full', runId), {
        version: 1,
        entity: 'Full',
        runId,
        base: previous,
        kind: 'changes',
        refusedAt: ago(0),
        reason: 'It deletes too much.',
        deleted: 420,
        baseDocuments: 700,
      }),
    },
    {
      ...of,
      kind: 'changes-failed',
      evidence: /comparisons failed 1 time/,
      state: behind(unpublishedKey('Full'), {
        kind: 'failed',
        runId,
        base: previous,
        cause: 'other',
        reason: 'Full.',
        count: 1,
        since: ago(0),
      }),
    },
    {
      ...of,
      kind: 'changes-erased',
      evidence: /receive 410/,
      state: { objects: { [changesLatestKey('Full')]: { ...chain, erased: true, reset: 'Erased.' } } },
    },
    {
      ...of,
      kind: 'table-failed',
      evidence: /The table of run .* failed: A page is damaged/,
      state: {
        objects: {
          [tableLatestKey('Full')]: tableBefore,
          [tableFailureKey('Full')]: { runId, reason: 'A page is damaged.', failedAt: ago(0), since: ago(0) },
        },
      },
    },
    {
      kind: 'erasure-waits',
      entity: 'Idle',
      evidence: /more than 365 days/,
      state: ofIdle({ latest: { ...idle.latest, publishedAt: daysAgo(366) } }),
    },
    {
      ...of,
      kind: 'erasure-incomplete',
      evidence: /not erased all old .* of Full for 2 days/,
      state: ofFull({ erasedAt: daysAgo(3) }),
    },
    {
      kind: 'waiting-not-woken',
      evidence: /Worker could not wake run[\s\S]+states:SendTaskSuccess/,
      state: notWoken,
    },
    {
      ...note,
      kind: 'schema-changed',
      evidence: /1 /,
      state: {
        objects: {
          [schemaChangesKey('Full', runId)]: {
            version: 1,
            entity: 'Full',
            runId,
            counts: { added: 1, removed: 0, retyped: 0 },
            added: ['size'],
            removed: [],
            retyped: [],
          },
        },
      },
    },
    {
      ...note,
      kind: 'documents-without-id',
      evidence: /3 /,
      state: ofFull({ withoutId: { documents: 3, idField: 'id', since: ago(0) } }),
    },
    {
      ...note,
      kind: 'partitions-unused',
      evidence: /without partitions: Not monotonic/,
      state: {
        items: [[runKey('Full', runId), { ...run, split: { kind: 'fallback', reason: 'Not monotonic.' } }]],
      },
    },
    {
      ...note,
      kind: 'paused',
      evidence: /paused by user\/ana/,
      state: ofFull({ pause: { by: 'user/ana', since: ago(1), reason: null, until: null } }),
    },
    {
      kind: 'orphaned-data',
      entity: 'Gone',
      level: 'note',
      evidence: /not configured/,
      state: {
        objects: { [`snapshots/Gone/${runId}/page.ndjson.gz`]: 'orphaned' },
        items: [[entityKey('Gone'), { erasedAt: ago(0), tablesErasedAt: ago(0) }]],
      },
    },
  ]
}
