import type { EntitySettings } from '../runtime/settings.ts'
import type { Latest } from '../state/manifest.ts'
import { type Position, progressOf } from '../state/page.ts'
import type { Run } from '../state/run.ts'

/** A run as callers see it. While it is under way its counts come from the pages committed so far. */
export function runView(run: Run, position?: Position) {
  const committed = progressOf(position)
  const answeredAt = position ? new Date(position.answeredAt).toISOString() : ''
  const documents = run.documents ?? committed.documents
  const total = run.total ?? committed.total ?? null
  return {
    runId: run.runId,
    entity: run.entity,
    status: run.status,
    startedAt: run.startedAt,
    updatedAt: answeredAt > run.updatedAt ? answeredAt : run.updatedAt,
    endedAt: run.endedAt ?? null,
    documents,
    total,
    percent: total === null ? null : total === 0 ? 100 : Math.min(100, Math.floor((documents * 100) / total)),
    pages: run.pages ?? committed.pages,
    attempt: run.attempt,
    suspect: run.suspect,
    reason: run.reason ?? null,
    faults: run.faults ?? {},
    ...pace(run, { documents, total, at: position?.answeredAt }),
    uniqueIds: run.uniqueIds ?? null,
    proof: run.proof ?? null,
    manifest: run.manifest ?? null,
  }
}

/** How fast the attempt comes on, waits included, and how long it has to go at that pace. */
function pace(run: Run, progress: { documents: number; total: number | null; at: number | undefined }) {
  const { documents, total, at } = progress
  const seconds = ((at ?? 0) - Date.parse(run.attemptStartedAt)) / 1000
  if (documents === 0 || seconds <= 0) return { documentsPerSecond: null, secondsLeft: null }
  const documentsPerSecond = Math.round((documents / seconds) * 10) / 10
  const left = total === null ? null : Math.max(0, Math.ceil((total - documents) / (documents / seconds)))
  return { documentsPerSecond, secondsLeft: left }
}

export type RunView = ReturnType<typeof runView>

/** An entity as callers see it: when it is synced, what goes on now, and what is published. */
export function entityView(
  entity: EntitySettings,
  {
    latest,
    running,
    runs,
  }: { latest: Latest | undefined; running: RunView | undefined; runs: readonly RunView[] },
) {
  return {
    entity: entity.name,
    schedule: entity.schedule,
    timezone: entity.timezone,
    enabled: entity.enabled,
    running: running ?? null,
    snapshot: latest ?? null,
    runs,
  }
}
