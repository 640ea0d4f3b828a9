import { chainSnapshotRun } from '../../stored/changes/chain-facts.ts'
import type { ChangeSetStore } from '../../stored/changes/change-sets.aws.ts'
import type { IncrementAudit } from '../../stored/changes/changes.ts'
import type { SnapshotStore } from '../../stored/snapshots/snapshots.aws.ts'
import type { StateStore } from '../../stored/sync-state.ts'
import type { TableStore } from '../../stored/tables/tables.aws.ts'
import { isUnreadable } from '../../stored/unreadable-object.ts'
import { mapPooled } from '../runtime/map-pooled.ts'
import type { EntitySettings, Settings } from '../runtime/settings.ts'
import { readChainState } from './chain-state.ts'
import type { EntityFacts, ScheduleState } from './facts.ts'
import { type LookStore, type StoredLook, watchedOf } from './look-items.ts'
import { findOrphans } from './orphans.ts'
import type { CheckPointers } from './pointers.ts'
import type { Facts, Orphan } from './problems.ts'
import { readTable } from './table-state.ts'

export interface EntityLookContext {
  readonly settings: Pick<Settings, 'entities' | 'eraseWithinDays' | 'credentials'>
  readonly state: Pick<StateStore, 'readEntities' | 'readRuns'>
  readonly looks: Pick<LookStore, 'readWatched'>
  readonly changes: Pick<ChangeSetStore, 'readLatest' | 'readRefused' | 'readUnpublished' | 'readManifest'>
  readonly tables: Pick<TableStore, 'readLatest' | 'readFailure' | 'readSchemaChanges'>
  readonly checkPointers: CheckPointers
  /** What is known of the schedules of an entity in the account. */
  readonly schedulesOf: (entity: EntitySettings) => ScheduleState
  /** Epoch milliseconds. */
  readonly now: () => number
}

export interface LookContext extends EntityLookContext {
  readonly state: Pick<StateStore, 'readEntities' | 'readRuns' | 'readNotWoken'>
  readonly looks: Pick<LookStore, 'readWatched' | 'readAlertFailures' | 'readWholeLook'>
  readonly snapshots: Pick<SnapshotStore, 'readLatest' | 'listFolders'>
  /** The command line that deploys, for a name that is still deployed; undefined also if nobody has looked. */
  readonly deployOf: (entity: string) => string | undefined
}

/** A look that does not read the schedules in the account. */
export const withoutSchedules = {
  schedulesOf: () => ({ kind: 'unknown' }),
  deployOf: () => undefined,
} as const satisfies Partial<LookContext>

/** What could not be read of an entity; without its name, what of the deployment. */
export interface Unread {
  readonly entity?: string | undefined
  readonly failure: unknown
}

export interface ReadFacts extends Facts {
  /** What the last look of the deployment found. */
  readonly last: StoredLook
  readonly unread: readonly Unread[]
}

const maxConcurrentReads = 24

/** Reads everything that decides about problems. What cannot be read of one entity does not hide the others. */
export async function readFacts(context: LookContext): Promise<ReadFacts> {
  const [read, orphans, alertFailures, notWoken] = await Promise.all([
    readEntities(context, context.settings.entities),
    attempt<Orphan[]>(readOrphans(context), []),
    context.looks.readAlertFailures(),
    context.state.readNotWoken(context.now()),
  ])
  const unread = [...orphans.failures.map((failure) => ({ failure })), ...read.unread]
  const names = [
    ...context.settings.entities.map(({ name }) => name),
    ...orphans.value.map(({ entity }) => entity),
  ]
  const last = await context.looks.readWholeLook(names)
  return { ...read, orphans: orphans.value, alertFailures, notWoken, unread, last }
}

/** The daily task erases of these entities too. Each began to be watched when `eraseWithinDays` was set. */
async function readOrphans(context: LookContext): Promise<Orphan[]> {
  const orphans = await findOrphans(context)
  if (orphans.length === 0) return []
  const [states, watched] = await Promise.all([
    context.state.readEntities(orphans.map(({ entity }) => entity)),
    context.looks.readWatched(),
  ])
  const [begin] = context.settings.entities
    .flatMap(({ name }) => watchedOf(watched, name).erasure ?? [])
    .toSorted()
  const { eraseWithinDays } = context.settings
  return orphans.map((orphan, index) => ({
    ...orphan,
    deploy: context.deployOf(orphan.entity),
    erasure: {
      name: orphan.entity,
      isConfigured: false,
      publishedAt: orphan.snapshot?.publishedAt,
      passes: states[index] ?? {},
      // Without an item of the entity, no pass is recorded.
      begin: states[index] && begin,
      eraseWithinDays,
      now: context.now(),
    },
  }))
}

/** The same of these entities only. */
export async function readEntities(
  context: EntityLookContext,
  list: readonly EntitySettings[],
): Promise<Omit<ReadFacts, 'orphans' | 'alertFailures' | 'notWoken' | 'last'>> {
  const { state, looks, now, settings } = context
  const { eraseWithinDays } = settings
  const credentialsArea = Object.keys(settings.credentials).length > 0 ? 'documents' : 'all'
  const [states, watched] = await Promise.all([
    state.readEntities(list.map(({ name }) => name)),
    looks.readWatched(),
  ])
  const entities = list.map((entity, index) => ({ settings: entity, state: states[index] ?? {} }))
  const recent = entities.flatMap(({ settings: { name: entity }, state: { recentRuns = [] } }) =>
    recentRuns.map((runId) => ({ entity, runId })),
  )
  const runs = Map.groupBy(await state.readRuns(recent), ({ entity }) => entity)
  const time = now()
  const stored = await mapPooled(entities, maxConcurrentReads, (entity) =>
    attempt(readStored(context, entity, time).catch(unreadableOf), nothing),
  )
  return {
    entities: entities.map((entity, index) => {
      const { name } = entity.settings
      return {
        ...entity,
        ...(stored[index]?.value ?? nothing),
        runs: runs.get(name) ?? [],
        watched: watchedOf(watched, name),
        schedules: context.schedulesOf(entity.settings),
        eraseWithinDays,
        credentialsArea,
        now: time,
      }
    }),
    now: time,
    unread: stored.flatMap(({ failures }, index) =>
      failures.map((failure) => ({ entity: entities[index]?.settings.name, failure })),
    ),
  }
}

type Stored = Pick<EntityFacts, 'chain' | 'table' | 'schemaChanges' | 'audit' | 'unreadable'>

const nothing: Stored = {
  chain: { kind: 'none' },
  table: { kind: 'off' },
  schemaChanges: undefined,
  audit: {},
  unreadable: undefined,
}

function unreadableOf(error: unknown): Stored {
  if (isUnreadable(error)) return { ...nothing, unreadable: error }
  throw error
}

/** What the bucket has of an entity. Why something failed is read only if it matters. */
async function readStored(
  { changes, tables, checkPointers }: Pick<LookContext, 'changes' | 'tables' | 'checkPointers'>,
  { settings, state: { latest } }: Pick<EntityFacts, 'settings' | 'state'>,
  now: number,
): Promise<Stored> {
  const { name } = settings
  const published = { snapshot: latest ?? null, now }
  const [chain, table, schemaChanges] = await Promise.all([
    latest && settings.changes !== false ? changes.readLatest(name) : undefined,
    settings.columns ? readTable(tables, name, published) : undefined,
    latest && settings.schemaReport ? tables.readSchemaChanges(name, latest.runId) : undefined,
  ])
  const full = chain && settings.increments && chainSnapshotRun(chain.value)
  const set = full ? await changes.readManifest(name, full) : undefined
  const followed = { chain: chain?.value, readSet: set?.value.runId, table: table?.latest }
  if (latest) await checkPointers({ settings, latest, ...followed })
  const state = await readChainState(changes, name, { ...published, chain: chain?.value })
  const audit: IncrementAudit = set?.value.kind === 'changes' ? set.value : {}
  return {
    chain: settings.changes === false ? { kind: 'off' } : state,
    table: table?.state ?? { kind: 'off' },
    schemaChanges,
    audit,
    unreadable: undefined,
  }
}

const attempt = <T>(work: Promise<T>, otherwise: T) =>
  work.then(
    (value) => ({ value, failures: [] as unknown[] }),
    (failure: unknown) => ({ value: otherwise, failures: [failure] }),
  )
