import type { FullSetManifest, IncrementAudit } from '../../stored/changes/changes.ts'
import type { ChangesEvent } from '../../stored/events.ts'
import type { Ending } from '../task/report.ts'

/** How a comparison ends. The state machine and direct callers receive it. */
export type ComparisonResult =
  | ({ readonly status: 'published' } & SetDescription)
  /** Nothing to do: the published snapshot is the tip, or older. */
  | { readonly status: 'up-to-date'; readonly entity: string; readonly tip: string | null }
  | { readonly status: 'off'; readonly entity: string }
  | RefusedComparison
  | FailedComparison

/** A set's manifest with the number of its parts. Step Functions accepts no result over 256 KiB, which their list may be. */
export interface SetDescription extends Omit<FullSetManifest, 'parts' | 'withheldParts'>, IncrementAudit {
  readonly parts: number
  readonly withheldParts: number
}

export function describeSet(manifest: FullSetManifest): SetDescription {
  return { ...manifest, parts: manifest.parts.length, withheldParts: manifest.withheldParts.length }
}

interface Unpublished {
  readonly entity: string
  readonly base: string | null
  readonly runId: string | null
  readonly reason: string
}

/** The guard refused the set. Nothing is written, and the tip does not move. */
export interface RefusedComparison extends Unpublished {
  readonly status: 'refused'
}

/** The tip does not move. The next comparison starts from it again. */
export interface FailedComparison extends Unpublished {
  readonly status: 'failed'
}

/** One line for each comparison, and an event unless it went well. */
export function comparisonEnding(result: ComparisonResult): Ending<ChangesEvent> {
  const ending = { level: 'INFO', message: 'comparison ended', fields: result } as const
  if (result.status !== 'refused' && result.status !== 'failed') return ending
  const { status, ...detail } = result
  const type = status === 'refused' ? 'Changes Refused' : 'Changes Failed'
  return { ...ending, level: 'WARN', event: { type, detail } }
}
