import type { ContentAge, SetManifest } from '../../../stored/changes/changes.ts'

/** What is known of a set that leads from a base to a run's snapshot. */
export interface SetContent {
  /** The run of the chain's snapshot at the base. */
  readonly baseRun: string
  readonly runId: string
  /** Whether its snapshot was the first one published after the base. */
  readonly isNext: boolean
  /** Its withheld documents: `carried` if some were withheld at the base too. */
  readonly withheld: 'none' | 'new' | 'carried'
}

/**
 * How old the content of a set is. Its records repeat content of the base, which was absent from the next snapshot; if
 * that is not known, the base itself counts. Documents that were withheld at the base have been absent for longer.
 */
export function contentAge(base: SetManifest, { baseRun, runId, isNext, withheld }: SetContent): ContentAge {
  const first = isNext ? runId : baseRun
  const absentSince = base.withheldParts.length === 0 ? first : withheldSince(base)
  return {
    ...(absentSince !== undefined && { absentSince }),
    ...(withheld === 'new' && { withheldSince: first }),
    ...(withheld === 'carried' && absentSince !== undefined && { withheldSince: absentSince }),
  }
}

const withheldSince = (set: SetManifest) => (set.kind === 'reset' ? undefined : set.withheldSince)
