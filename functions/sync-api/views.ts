import type { EntitySettings } from '../environment.ts'
import type { Latest } from '../sync/manifest.ts'
import type { Position } from '../sync/page.ts'
import { hasEnded, type Run } from '../sync/run.ts'

/** A run as callers see it. While it is under way its counts come from the pages committed so far. */
export function runView(run: Run, position?: Position) {
  const pages = position && position.page - (position.end ? 1 : 0)
  const answeredAt = position ? new Date(position.answeredAt).toISOString() : ''
  return {
    runId: run.runId,
    entity: run.entity,
    status: run.status,
    startedAt: run.startedAt,
    updatedAt: answeredAt > run.updatedAt ? answeredAt : run.updatedAt,
    endedAt: run.endedAt ?? null,
    documents: run.documents ?? position?.documentsSoFar ?? 0,
    total: run.total ?? position?.total ?? null,
    pages: run.pages ?? pages ?? 0,
    attempt: run.attempt,
    suspect: run.suspect,
    reason: run.reason ?? null,
    uniqueIds: run.uniqueIds ?? null,
    proof: run.proof ?? null,
    manifest: run.manifest ?? null,
  }
}

export type RunView = ReturnType<typeof runView>

/** An entity as callers see it: when it is synced, what goes on now, and what is published. */
export function entityView(
  entity: EntitySettings,
  { latest, runs }: { latest: Latest | undefined; runs: readonly RunView[] },
) {
  return {
    entity: entity.name,
    schedule: entity.schedule,
    timezone: entity.timezone,
    enabled: entity.enabled,
    running: runs.find(({ status }) => !hasEnded({ status })) ?? null,
    snapshot: latest ?? null,
    runs,
  }
}
