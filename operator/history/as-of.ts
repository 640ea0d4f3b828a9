import type { SetSummary } from '../../functions/state/changes/changes.ts'
import type { Manifest } from '../../functions/state/snapshots/manifest.ts'
import { findDocument } from './find-document.ts'
import { findRecord, findWithheld, type Recorded } from './recorded.ts'
import { asOfRun, type HistoryContext } from './versions.ts'

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

interface Kept {
  readonly manifests: readonly Manifest[]
  /** Oldest first. */
  readonly sets: readonly SetSummary[]
}

/**
 * Reads a document as of a time. A record also contains what was before it, so this reaches back to where the chain of
 * change sets begins. Reads no more than it needs. Throws `DamagedData`.
 */
export async function readAsOf(context: HistoryContext, question: Question): Promise<DocumentAsOf> {
  const { entity, time } = question
  const [manifests, chain] = await Promise.all([
    context.kept.list(entity),
    context.changes.readLatest(entity),
  ])
  const kept = { manifests, sets: chain?.value.sets ?? [] }
  const runs = runsOf(kept)
  const run = runs.findLast(({ asOf }) => Date.parse(asOf) <= time)
  const document = run ? await documentAt(context, question, { ...kept, runId: run.runId }) : 'unknown'
  if (!run || document === 'unknown') return { state: 'unknown', oldest: runs[0]?.asOf }
  return document === 'absent' ? { state: 'absent', ...run } : { state: 'present', ...run, ...document }
}

/** Each run whose state is kept or follows from the change sets, oldest first. */
function runsOf({ manifests, sets }: Kept): RunAsOf[] {
  const ids = [...manifests, ...sets].map(({ runId }) => runId)
  const runs = [...new Set(ids.concat(sets[0]?.base ?? []))].toSorted()
  return runs.map((runId) => ({ runId, asOf: asOfRun(runId, manifests) }))
}

type State = { readonly document: string } | 'absent' | 'unknown'

async function documentAt(
  context: HistoryContext,
  { entity, id }: Question,
  { manifests, sets, runId }: Kept & { readonly runId: string },
): Promise<State> {
  /** The state of readers at a run whose snapshot is kept: what its set withholds replaces the snapshot's version. */
  const stateAt = async (manifest: Manifest): Promise<State> => {
    const withheld = await findWithheld(context, { entity, runId: manifest.runId, id })
    if (withheld !== undefined) return { document: withheld }
    const found = await findDocument(context, manifest, id)
    return found ? { document: found.line.toString() } : 'absent'
  }
  const manifestOf = (run: string) => manifests.find((manifest) => manifest.runId === run)
  const recordIn = (set: SetSummary) => findRecord(context, { entity, set, id })

  const snapshot = manifestOf(runId)
  if (snapshot) return stateAt(snapshot)
  const own = sets.find((set) => set.runId === runId)
  const after = own && stateOf(await recordIn(own), 'after')
  if (after) return after
  // The snapshot is no longer kept. The first later record, or else a later snapshot, has the same document.
  for (const set of sets.filter((one) => one.runId > runId)) {
    const recorded = await recordIn(set)
    if (isDelivered(recorded)) break
    const before = stateOf(recorded, 'before')
    if (before) return before
    const later = manifestOf(set.runId)
    if (later) return stateAt(later)
  }
  // No later record has what was before it. The last earlier one, or else an earlier snapshot, has the same document.
  const [first] = sets
  for (const set of sets.filter((one) => one.runId <= runId).toReversed()) {
    const before = stateOf(await recordIn(set), 'after')
    if (before) return before
    const earlier = manifestOf(set.runId)
    if (earlier) return stateAt(earlier)
  }
  const oldest = first?.base === null ? undefined : manifestOf(first?.base ?? '')
  return oldest && oldest.runId <= runId ? stateAt(oldest) : 'unknown'
}

/** Whether an increment delivered the document, which does not know what was before. */
const isDelivered = (recorded: Recorded) => recorded.in === 'records' && recorded.kind === 'delivered'

/** The document on one side of a set; undefined if the set leaves it as it was. */
function stateOf(recorded: Recorded, side: 'before' | 'after'): State | undefined {
  if (recorded.in === 'nothing') return undefined
  if (recorded.in === 'unknown') return 'unknown'
  const document = recorded.in === 'withheld' ? recorded.document : recorded[side]
  return document === undefined ? 'absent' : { document }
}
