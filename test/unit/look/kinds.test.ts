import { expect, it } from 'vitest'
import { check } from '../../../functions/look/check.ts'
import { type ProblemKind, problemKinds } from '../../../functions/problems/problem-table.ts'
import type { EntitySettings } from '../../../functions/runtime/settings.ts'
import type { ChangesLatest } from '../../../stored/changes/changes-latest.ts'
import type { EntityState } from '../../../stored/entity-items.ts'
import type { ProblemEvent } from '../../../stored/events.ts'
import type { SnapshotRun } from '../../../stored/run/run.ts'
import type { NotWoken } from '../../../stored/slots/slots.ts'
import type { TableFailure } from '../../../stored/tables/table.ts'
import { UnreadableObject } from '../../../stored/unreadable-object.ts'
import { entityNamed } from '../../entity-named.ts'
import { kindsOfOperators } from '../../kinds-of-operators.ts'
import { MemoryDynamoDb } from '../../simulation/stores/memory-dynamodb.ts'
import { hoursAgo, run, runIdAt, now as start } from '../problems/facts-of.ts'
import { checkContext } from './check-context.ts'

/** What is stored of the entity CL, and what is configured. What is absent is as it should be. */
interface Stored {
  readonly settings?: Partial<EntitySettings>
  readonly eraseWithinDays?: number
  readonly state?: Partial<EntityState>
  readonly runs?: readonly SnapshotRun[]
  readonly chain?: Partial<ChangesLatest> | null
  readonly refused?: object
  readonly unpublished?: object
  readonly manifest?: object
  readonly tableFailure?: TableFailure
  readonly schemaChanges?: object
  readonly isUnreadable?: true
  readonly orphans?: readonly string[]
  readonly notWoken?: readonly NotWoken[]
  readonly isSlackAway?: true
}

interface Drill {
  readonly kind: ProblemKind
  readonly what: string
  readonly broken: Stored
  /** How the cause is tried again. */
  readonly tried?: Stored
  readonly fixed?: Stored
  /** How long it lasts until it is found. */
  readonly hours?: number
  readonly level?: 'note'
}

const [r1, r2, r3] = [runIdAt(3), runIdAt(2), runIdAt(1)]
const published = (runId: string, hours: number): Stored => ({
  state: { latest: { runId, manifest: 'm', publishedAt: hoursAgo(hours), documents: 700 } },
})
const running = (runs: readonly SnapshotRun[], state: object = {}): Stored => {
  const lease = { runId: 'current', worker: 'w', until: start + 1e9, handedOff: false, direct: false }
  const current = run('running', 0, { runId: 'current', endedAt: undefined })
  return { state: { lease, ...state }, runs: [current, ...runs] }
}
const twice = (change: object) => [run('failed', 0, change), run('failed', 0.5, change)]
const away = { cause: 'platform-away', reason: 'The host was not found.' }
const pause = { by: 'user/ana', since: hoursAgo(1), reason: 'Why.', until: null }
const rejected = { cause: 'credentials', documents: 0, reason: 'The credentials were rejected.' }
const notSet = { cause: 'credentials', reason: 'The credentials are not set.' }
const failure = { kind: 'failed', runId: r2, cause: 'other', reason: 'Full.', count: 1, since: hoursAgo(1) }
const increments = { increments: { schedule: 'rate(5 minutes)', lookbackMinutes: 60 } }
const last = { runId: r2, status: 'failed', reason: 'It timed out.', endedAt: hoursAgo(0) } as const
const window = (from: number, to: number) => ({ window: { from: hoursAgo(from), to: hoursAgo(to) } })
const ofIncrements = (change: object): Stored => ({
  settings: increments,
  state: { increments: { ...window(1, 0), records: {}, last, ...change } as never },
})
const fine = ofIncrements({ last: { ...last, status: 'published', reason: null } })
const audit = (counts: object): Stored => ({ ...fine, manifest: { kind: 'changes', ...counts } })
const columns = { columns: ['id'] as never }
const tableFailure = { runId: r2, reason: 'A page is damaged.', failedAt: hoursAgo(1), since: hoursAgo(1) }
const noLatest = { latest: undefined as never }
const refused = {
  runId: r2,
  base: r1,
  kind: 'changes',
  refusedAt: hoursAgo(1),
  deleted: 420,
  baseDocuments: 700,
}
const onDemand = { settings: { enabled: false } }
const erased = { erasedAt: hoursAgo(-49), tablesErasedAt: hoursAgo(-49) }
const notWoken = [{ by: 'Worker', runId: r1, reason: 'Denied.', since: hoursAgo(1), until: start + 1e9 }]
const newField = {
  runId: r1,
  counts: { added: 1, removed: 0, retyped: 0 },
  added: ['a'],
  removed: [],
  retyped: [],
}
/** The chain stays at r1 although r2 is published, and again after r3. At last it is at r3. */
const behind = (more: Stored = {}): Stored => ({ ...published(r2, 2), chain: { tip: r1 }, ...more })
const again = (more: Stored = {}): Stored => ({ ...published(r3, -0.2), chain: { tip: r1 }, ...more })
const solved: Stored = { ...published(r3, -0.2), chain: { tip: r3 } }
const comparing = (base: string | null): Stored => ({
  unpublished: { ...failure, base },
  ...(base === null && { chain: null }),
})

const drills: readonly Drill[] = [
  drill('credentials', 'rejected', { runs: twice(rejected) }, { tried: running(twice(rejected)) }),
  drill('credentials', 'not set', { runs: [run('skipped', 0, notSet)] }),
  drill('platform-away', 'during a pause', running(twice(away), { pause })),
  drill('unreadable-data', 'an object was overwritten', { isUnreadable: true }),
  drill('run-refused', 'by a guard', { runs: [run('refused', 0)] }, { tried: running([run('refused', 0)]) }),
  drill('changes-refused', 'through new snapshots', behind({ refused }), { tried: again(), fixed: solved }),
  drill('run-failed', 'twice', { runs: twice({}) }, { tried: running(twice({})) }),
  drill(
    'no-snapshot',
    'none was ever started',
    { state: noLatest, runs: [], chain: null },
    { tried: { ...running([], noLatest), chain: null } },
  ),
  drill('stale', 'after twice its interval', {}, { hours: 14, fixed: published(r1, -14) }),
  drill('increments-stale', 'after half an hour', fine, {
    hours: 2,
    fixed: ofIncrements({ ...fine.state?.increments, ...window(0, -4) }),
  }),
  drill('increments-missed', 'three', audit({ missedByIncrements: 3 }), { fixed: audit({}) }),
  drill('changes-failed', 'through new snapshots', behind(comparing(r1)), {
    tried: again(comparing(r1)),
    fixed: { ...solved, ...comparing(r1) },
  }),
  drill('changes-failed', 'the first comparison of the entity', behind(comparing(null)), {
    tried: again(comparing(null)),
    fixed: solved,
  }),
  drill('changes-failed', 'the function crashed', behind(), { tried: again(), fixed: solved }),
  drill('changes-erased', 'a set', { chain: { tip: r1, erased: true, reset: 'Erased.' } as never }),
  drill(
    'table-failed',
    'through new snapshots',
    behind({ settings: columns, chain: { tip: r2 }, tableFailure }),
    { tried: { ...solved, settings: columns, tableFailure } },
  ),
  drill('table-failed', 'the function crashed', behind({ settings: columns, chain: { tip: r2 } }), {
    tried: { ...solved, settings: columns },
    fixed: solved,
  }),
  drill(
    'erasure-waits',
    'nothing was published',
    { ...onDemand, eraseWithinDays: 10, ...published(r1, 300) },
    { fixed: { ...onDemand, eraseWithinDays: 10 } },
  ),
  drill(
    'erasure-incomplete',
    'for two days',
    { ...onDemand, eraseWithinDays: 30 },
    { hours: 49, fixed: { ...onDemand, eraseWithinDays: 30, state: erased } },
  ),
  drill('alert-failed', 'Slack is away', { runs: twice({}), isSlackAway: true }),
  drill('waiting-not-woken', 'a permission is missing', { notWoken }),
  note('increments-failed', 'once', ofIncrements({}), fine),
  note('increments-skipped', 'once', ofIncrements({ last: { ...last, status: 'skipped' } }), fine),
  note('increments-invisible', 'two', audit({ invisibleToIncrements: 2 }), audit({})),
  note('schema-changed', 'a field', { settings: { schemaReport: true }, schemaChanges: newField }),
  note('documents-without-id', 'some', {
    state: { withoutId: { documents: 3, idField: 'id', since: hoursAgo(1) } },
  }),
  note('partitions-unused', 'by the last run', {
    runs: [run('published', 1, { split: { kind: 'fallback', reason: 'Why.' } })],
  }),
  note('paused', 'by a person', { state: { pause } }),
  note('orphaned-data', 'of a removed entity', { orphans: ['PR'] }),
]

function drill(...[kind, what, broken, more]: [ProblemKind, string, Stored, Partial<Drill>?]): Drill {
  return { kind, what, broken, ...more }
}

function note(...[kind, what, broken, fixed]: [ProblemKind, string, Stored, Stored?]): Drill {
  return { kind, what, broken, level: 'note', ...(fixed && { fixed }) }
}

it('each kind of problem that the check can find has a drill', () => {
  expect([...new Set(drills.map(({ kind }) => kind)), ...kindsOfOperators].toSorted()).toEqual(
    problemKinds.toSorted(),
  )
})

/** The check on what is stored, every five minutes. */
function deployment() {
  const table = new MemoryDynamoDb()
  const told = { events: [] as ProblemEvent[], mails: [] as string[], slack: [] as string[] }
  const time = { now: start }
  const look = async (stored: Stored) => {
    time.now += 300_000
    const { eraseWithinDays, chain = {}, isUnreadable, isSlackAway, orphans = [] } = stored
    const found =
      <T>(value: unknown) =>
      async () =>
        (value ? { value: value as T } : undefined) as never
    const context = checkContext(
      table,
      {
        settings: {
          entities: [entityNamed('CL', { schedule: 'rate(6 hours)', ...stored.settings })],
          eraseWithinDays,
          credentials: {},
        },
        state: {
          readEntities: async () => [
            {
              ...published(r1, 1).state,
              recentRuns: ['r'],
              erasedAt: hoursAgo(0),
              tablesErasedAt: hoursAgo(0),
              ...stored.state,
            },
          ],
          readRuns: async () => [...(stored.runs ?? [run('published', 1)])],
          readNotWoken: async () => [...(stored.notWoken ?? [])],
        },
        changes: {
          async readLatest() {
            if (isUnreadable) throw new UnreadableObject('changes/CL/latest.json', 'not JSON')
            const tip = { tip: r1, sets: [], announced: true, reset: null, failures: null }
            return (chain === null ? undefined : { value: { ...tip, ...chain } }) as never
          },
          readRefused: async (_, runId) =>
            ((stored.refused as { runId?: string })?.runId === runId ? stored.refused : undefined) as never,
          readUnpublished: async () => stored.unpublished as never,
          readManifest: found(stored.manifest),
        },
        tables: {
          readLatest: found(stored.settings?.columns && !stored.tableFailure ? { runId: r1 } : undefined),
          readFailure: async () => stored.tableFailure,
          readSchemaChanges: async () => stored.schemaChanges as never,
        },
        snapshots: { readLatest: async () => undefined, listFolders: async () => ['CL', ...orphans] },
        publishEvent: async (event) => void told.events.push(event),
        now: () => time.now,
      },
      {
        receivers: [
          { type: 'topic', url: 'topic', notes: false },
          { type: 'slack', url: 'slack', notes: false },
        ],
        async post(_, body) {
          if (!isSlackAway) told.slack.push(body)
          return { status: isSlackAway ? 503 : 200, body: Buffer.from('ok') }
        },
        publish: async (_, { text }) => void told.mails.push(text),
      },
    )
    await check(context)
  }
  return { look, told, time }
}

it.each(drills)(
  '$kind, $what: is told by mail, Slack and event, stays one, and is resolved once',
  async (drill) => {
    const { kind, level, broken, tried, hours = 0, fixed = {} } = drill
    const { look, told, time } = deployment()
    const ofKind = (texts: readonly string[]) => texts.filter((text) => text.includes(kind)).length
    const events = () => told.events.filter(({ detail }) => detail.kind === kind)
    await look({ ...(hours > 0 && broken), ...(fixed.settings && { settings: fixed.settings }) })
    expect(events()).toEqual([])
    time.now += hours * 3_600_000
    // A receiver that is away is known by the next look, within seven minutes.
    for (let looks = 0; looks < (kind === 'alert-failed' ? 2 : 1); looks++) await look(broken)
    expect(events().map(({ type, detail }) => `${type}: ${detail.level}`)).toEqual([
      `Problem Opened: ${level ?? 'problem'}`,
    ])
    const isTold = level === undefined
    expect([ofKind(told.mails), ofKind(told.slack)]).toEqual(
      isTold ? [1, kind === 'alert-failed' ? 0 : 1] : [0, 0],
    )
    for (let looks = 0; looks < 2; looks++) await look(tried ?? broken)
    expect(events()).toHaveLength(1)
    for (let looks = 0; looks < 4; looks++) await look(fixed)
    const [opened, resolved, ...more] = events()
    expect([resolved?.type, more]).toEqual(['Problem Resolved', []])
    expect(resolved?.detail.id).toBe(opened?.detail.id)
    expect(resolved?.detail.since).toBe(opened?.detail.since)
    const ends = [ofKind(told.mails), ofKind(told.slack)]
    // Slack is told neither that it was away nor that it no longer is.
    expect(ends).toEqual(kind === 'alert-failed' ? [2, 0] : isTold ? [2, 2] : [0, 0])
  },
)
