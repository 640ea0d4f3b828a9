import type { AboutResponse, ExportedResponses } from '../../contract/api.ts'
import type { SetRow } from '../../contract/change-sets.ts'
import type {
  AttentionRow,
  EntityResponse,
  EntityRow,
  OverviewResponse,
  SnapshotRow,
} from '../../contract/overview.ts'
import type { RunRow, RunsResponse } from '../../contract/run-rows.ts'
import type { TimelineResponse } from '../../contract/timeline.ts'

/** What the page reads of a deployment: its overview, its timeline and its entities. */
export interface ExportSources {
  readonly overview: OverviewResponse
  readonly timelines: readonly { readonly days: number; readonly response: TimelineResponse }[]
  readonly entities: readonly { readonly entity: EntityResponse; readonly runs: RunsResponse }[]
}

/**
 * The responses of an export by path. It is for people without permissions: reasons, filters and ids are left out, since
 * they may contain values of documents, and nothing in it can be used to find anything in the account.
 */
export function exportedResponses({ overview, timelines, entities }: ExportSources): ExportedResponses {
  const about: AboutResponse = {
    name: overview.name,
    referencePath: null,
    exportedAt: overview.now,
    commandLine: null,
  }
  return {
    '/about': about,
    '/overview': {
      name: overview.name,
      place: 'Exported',
      now: overview.now,
      attention: overview.attention.map(exportedAttention),
      entities: overview.entities.map(exportedRow),
    } satisfies OverviewResponse,
    ...Object.fromEntries(
      timelines.map(({ days, response }) => [
        `/timeline?days=${days}&after=0`,
        {
          ...response,
          lanes: response.lanes.map(({ entity, runs }) => ({
            entity,
            runs: runs.map((run) => ({ ...run, runId: maskedId(run.runId) })),
          })),
        },
      ]),
    ),
    ...Object.fromEntries(
      entities.flatMap(({ entity: { row, sets, now }, runs }) => {
        const path = `/entities/${encodeURIComponent(row.entity)}`
        return [
          [path, { row: exportedRow(row), sets: sets.map(exportedSet), now } satisfies EntityResponse],
          [`${path}/runs`, { runs: runs.runs.map(exportedRun), next: null } satisfies RunsResponse],
        ]
      }),
    ),
  }
}

/** A run's time, by which the page sorts. What distinguishes runs of a millisecond is left out. */
const maskedId = (runId: string) => runId.replace(/[^-]+$/, '')

function exportedRow(row: EntityRow): EntityRow {
  const { entity, schedule, timezone, enabled, next, freshness, snapshot, proof, changes, trend } = row
  return {
    entity,
    schedule,
    timezone,
    enabled,
    next,
    freshness,
    proof,
    trend,
    snapshot: snapshot && exportedSnapshot(snapshot),
    // The reason may name what is in the account.
    increments: row.increments && { ...row.increments, reason: null },
    changes: changes.kind === 'last' ? { ...changes, set: exportedSet(changes.set) } : changes,
    attention: row.attention.map(exportedAttention),
    running: row.running && exportedRun(row.running),
    lastRun: row.lastRun && exportedRun(row.lastRun),
  }
}

/** The evidence names runs and reasons, and the command the deployment. */
const exportedAttention = ({ kind, entities, since }: AttentionRow): AttentionRow => ({
  kind,
  entities,
  since,
  details: null,
})

const exportedSnapshot = ({ runId, publishedAt, documents }: SnapshotRow): SnapshotRow => ({
  runId: maskedId(runId),
  publishedAt,
  documents,
})

/** Field by field: the API may return more than the page knows, such as the key of the manifest. */
function exportedRun(run: RunRow): RunRow {
  const { entity, status, startedAt, updatedAt, endedAt, refusedAt, documents, total, percent } = run
  const { pages, attempt, suspect, faults, documentsPerSecond, secondsLeft, uniqueIds, proof } = run
  return {
    runId: maskedId(run.runId),
    entity,
    status,
    startedAt,
    updatedAt,
    endedAt,
    refusedAt,
    documents,
    total,
    percent,
    pages,
    attempt,
    suspect,
    faults,
    documentsPerSecond,
    secondsLeft,
    uniqueIds,
    proof,
    reason: null,
    partitions: null,
    partitionsReason: null,
  }
}

const exportedSet = ({ runId, kind, created, updated, deleted, delivered }: SetRow): SetRow => ({
  runId: maskedId(runId),
  base: null,
  kind,
  created,
  updated,
  deleted,
  delivered,
})
