import type { RecordKind } from '../../contract/change-sets.ts'
import type { FindingRow } from '../../contract/health.ts'
import type { VersionRow } from '../../contract/history.ts'
import type { EntityRow } from '../../contract/overview.ts'
import type { RunStatus } from '../../contract/run.ts'
import { formatRoughDuration } from './format.ts'

/** A color of the style sheet. */
export type Tone = 'good' | 'warning' | 'problem' | 'active' | 'neutral'

export const statusTones: Readonly<Record<RunStatus, Tone>> = {
  running: 'active',
  waiting: 'active',
  publishing: 'active',
  published: 'good',
  refused: 'problem',
  failed: 'problem',
  cancelled: 'warning',
  skipped: 'neutral',
}

export const recordTones: Readonly<Record<RecordKind, Tone>> = {
  created: 'good',
  updated: 'active',
  deleted: 'problem',
  delivered: 'active',
}

export const versionTones: Readonly<Record<VersionRow['kind'], Tone>> = {
  ...recordTones,
  absent: 'warning',
  withheld: 'warning',
  held: 'warning',
  unchanged: 'neutral',
  present: 'neutral',
}

export const findingTones: Readonly<Record<FindingRow['level'], Tone>> = {
  problem: 'problem',
  unknown: 'problem',
  note: 'warning',
  ok: 'good',
}

export interface SnapshotBadge {
  readonly tone: Tone
  readonly text: string
  /** Of the snapshot; empty if there is none. */
  readonly age: string
}

const freshnessBadges = {
  unscheduled: { tone: 'neutral', text: 'published' },
  fresh: { tone: 'good', text: 'fresh' },
  stale: { tone: 'problem', text: 'stale' },
} as const

/** Whether the snapshot is fresh, unless a person has to know a problem first, or how the last run ended. */
export function snapshotBadge(row: Pick<EntityRow, 'freshness' | 'lastRun' | 'problems'>): SnapshotBadge {
  const { freshness, lastRun, problems } = row
  const problem = problems.find(({ level, kind }) => level === 'problem' && kind !== 'stale')
  if (freshness.kind === 'never')
    return { tone: problem ? 'problem' : 'neutral', text: 'no snapshot', age: '' }
  const age = `${formatRoughDuration(freshness.ageMs)} old`
  if (problem) return { tone: 'problem', text: problem.kind.replaceAll('-', ' '), age }
  const status = lastRun?.status
  if (status === 'refused' || status === 'failed') return { tone: 'warning', text: status, age }
  return { ...freshnessBadges[freshness.kind], age }
}
