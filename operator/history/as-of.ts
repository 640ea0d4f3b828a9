import type { DocumentRun, DocumentState, HistoryContext } from './document-states.ts'
import { readRuns, recordedBefore, stateAtTip } from './document-states.ts'

/** A document as it was at a time. */
export type DocumentAsOf =
  /** `document`: as the platform sent it. */
  | (RunAsOf & { readonly state: 'present'; readonly document: string })
  | (RunAsOf & { readonly state: 'absent' })
  /** Nothing that old is kept. `oldest`: the time of the oldest kept snapshot or change set. */
  | { readonly state: 'unknown'; readonly oldest: string | undefined }

/** The newest run that is not after the time. */
interface RunAsOf {
  readonly runId: string
  readonly asOf: string
}

interface Question {
  readonly entity: string
  readonly id: string
  /** Epoch milliseconds. */
  readonly time: number
}

/**
 * Reads what readers had of a document at a time. A record also contains what was before it, so this reaches back to
 * where the chain of change sets begins. Reads no more than it needs. Throws `DamagedData`.
 */
export async function readAsOf(
  context: HistoryContext,
  { entity, id, time }: Question,
): Promise<DocumentAsOf> {
  const runs = await readRuns(context, entity, id)
  // Readers had a set that was accepted later only after the increments before it, although its snapshot is older.
  let latest = Number.NEGATIVE_INFINITY
  const times = runs.map(({ asOf }) => {
    latest = Math.max(latest + 1, Date.parse(asOf))
    return latest
  })
  const last = times.findLastIndex((had) => had <= time)
  const state = await stateAt(runs, last, () => stateAtTip(context, entity, id))
  const [run] = runs.slice(last)
  if (!run || state === 'unknown') return { state: 'unknown', oldest: runs[0]?.asOf }
  const { runId, asOf } = run
  if (state === 'absent') return { state, runId, asOf }
  return { state: 'present', runId, asOf, document: state.document }
}

/**
 * The state after a run, or else what the first later set that says something about it has as the state before it. If
 * none does, readers still have it.
 */
async function stateAt(
  runs: readonly DocumentRun[],
  at: number,
  atTip: () => Promise<DocumentState>,
): Promise<DocumentState> {
  const run = runs[at]
  const state = (await run?.stateAfter()) ?? 'unknown'
  // The sets between a run that is not in the chain and the next one are not known.
  if (state !== 'unknown' || !run?.isInChain) return state
  for (const later of runs.slice(at + 1)) {
    const before = await recordedBefore(later)
    if (before) return before
  }
  return atTip()
}
