import { mapPooled } from '../functions/runtime/map-pooled.ts'
import type { EntitySettings } from '../functions/runtime/settings.ts'
import { type ConfigurationInput, resolveConfig, settingsOf } from '../lib/config.ts'
import { type ActiveRun, newRun, newRunId, type Run, type RunResult } from '../stored/run/run.ts'
import { published, publishing } from '../stored/run/run-changes.ts'
import { plannedRanges } from '../stored/run/split.ts'
import type { StateStore } from '../stored/sync-state.ts'
import { planOfRanges } from './unit/stored/run/plan-of-ranges.ts'

/** Entities of a configuration, every tenth in ranges. */
export function manyEntities(count: number): NonNullable<ConfigurationInput['entities']> {
  return Array.from({ length: count }, (_, index) => ({
    name: `E${index}`,
    schedule: 'rate(1 day)',
    // A stack cannot have two Athena tables for each of 400 entities.
    changes: false as const,
    ...(index % 10 === 0 && { partitions: { by: 'createdIn' as const, count: 8 } }),
  }))
}

export function manyEntitySettings(count: number): readonly EntitySettings[] {
  const upstream = { baseUrl: 'http://127.0.0.1' }
  return settingsOf(resolveConfig({ upstream, entities: manyEntities(count) })).entities
}

export interface ManyRuns {
  readonly entities: readonly EntitySettings[]
  /** Of each entity. The last one of a partitioned entity is running, the others are published. */
  readonly runs: number
  /** Epoch milliseconds. */
  readonly now: number
}

const hourMs = 3_600_000
const total = 100_000

/** Writes the runs that the list of syncs shows, in ranges for partitioned entities. */
export async function writeManyRuns(state: StateStore, many: ManyRuns): Promise<void> {
  await mapPooled(many.entities, 8, (entity) => writeEntity(state, entity, many))
}

async function writeEntity(
  state: StateStore,
  entity: EntitySettings,
  { runs, now }: ManyRuns,
): Promise<void> {
  const recentRuns: string[] = []
  for (let age = runs; age > 1; age--) {
    const run = publishedRun(entity, now - age * hourMs)
    await state.createRun(run)
    recentRuns.unshift(run.runId)
  }
  const last = entity.partitions ? runAt : publishedRun
  const run = last(entity, now - hourMs)
  await state.createRun(run)
  const { runId } = run
  const lease = { runId, worker: 'worker', until: now + hourMs, handedOff: false, direct: false }
  await state.claimLease(entity.name, { recentRuns }, { lease, abandonedRuns: [] })
  if (!entity.partitions) return state.releaseLease(entity.name, runId)
  const scroll = { kind: 'page', page: 5, documentsSoFar: 5_000, total: 12_500, respondedAt: now } as const
  const scrolls = Array.from({ length: rangesOf(entity) }, (_, range) => ({ ...scroll, range, attempt: 1 }))
  await state.renewLease(entity.name, lease, { progress: { runId, scrolls } })
}

/** The documents without a date are one more range. */
const rangesOf = ({ partitions }: EntitySettings) => (partitions?.count ?? 0) + 1

function runAt(entity: EntitySettings, now: number): ActiveRun {
  const run = newRun({ runId: newRunId(now), entity, acceptShrink: false, execution: undefined, now })
  if (!entity.partitions) return run
  const boundaries = Array.from({ length: entity.partitions.count - 1 }, (_, index) =>
    new Date(Date.UTC(2025, index)).toISOString(),
  )
  const filters = Array.from({ length: rangesOf(entity) }, (_, index) => ({
    where: `(createdIn between ${boundaries[0]} AND ${boundaries[index] ?? boundaries[0]})`,
    documents: 12_500,
  }))
  const searchedAt = new Date(now).toISOString()
  const plan = {
    ...planOfRanges,
    ...entity.partitions,
    boundaries,
    searchedAt,
    total,
    filters,
  } as const
  return { ...run, split: plannedRanges(plan, { pageSize: entity.pageSize, now }) }
}

function publishedRun(entity: EntitySettings, now: number): Run {
  const run = runAt(entity, now)
  const ranges = entity.partitions ? rangesOf(entity) : 0
  const rangeProgress = Array.from({ length: ranges }, () => ({
    documents: 12_500,
    pages: 13,
    total: 12_500,
  }))
  const progress = { documents: total, pages: 100, total, rangeProgress }
  const result = { documents: total, uniqueIds: total, proof: 'exact' } as RunResult
  const manifest = `snapshots/${entity.name}/${run.runId}/manifest.json`
  return published(publishing(run, result, now), { manifest, progress, now: now + 60_000 })
}
