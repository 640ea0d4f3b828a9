import type { EntityRow } from '../../contract/overview.ts'
import { changesText, nextText, scheduleText, shownRun } from './entity-summary.ts'
import { ageText, formatCount } from './format.ts'
import { snapshotBadge } from './tones.ts'

/** What the row of an entity shows: texts, which change less often than what they are made from. */
export type EntityCells = ReturnType<typeof entityCells>

export function entityCells(row: EntityRow, now: string) {
  const { entity, snapshot, trend, proof, changes, next } = row
  const run = shownRun(row)
  return {
    entity,
    badge: snapshotBadge(row),
    documents: snapshot ? formatCount(snapshot.documents) : '–',
    trend,
    proof: proof ?? '–',
    changes: changesText(changes),
    run: run && {
      runId: run.runId,
      status: run.status,
      startedAt: run.startedAt,
      age: ageText(run.startedAt, now),
    },
    schedule: scheduleText(row),
    next: { text: nextText(next, now), at: next.kind === 'run' ? next.at : null },
  }
}
