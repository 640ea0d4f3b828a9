import { absenceEvidence, decideAbsence } from '../../stored/chain/absence.ts'
import { hasDate } from '../../stored/chain/document-dates.ts'
import { chainSnapshotRun, isFullSet } from '../../stored/changes/chain-facts.ts'
import type { CountedAbsences } from '../../stored/changes/changes.ts'
import { timeOfRunId } from '../../stored/run/run-id.ts'
import type { Manifest } from '../../stored/snapshots/manifest.ts'
import { type FindContext, type FoundDocument, findDocument } from './find-document.ts'
import type { Recorded, SetContext, Withheld } from './recorded.ts'
import { findOver, findRecord, findWithheld } from './recorded.ts'

export interface HistoryContext extends FindContext, SetContext {
  /** Newest first. */
  readonly readSnapshots: (entity: string) => Promise<readonly Manifest[]>
}

/** What readers have of a document at a run; `unknown` before the oldest run that says something about it. */
export type DocumentState = Known | 'absent' | 'unknown'

interface Known {
  readonly document: string
  /** How many snapshots after its last one count towards its deletion. */
  readonly counted: CountedAbsences
}

/** What a run has of the document. Each part is read when it is first asked for. Throws `DamagedData`. */
export interface DocumentRun {
  readonly runId: string
  /** Whether the change sets lead to it or start from it. */
  readonly isInChain: boolean
  /** When the snapshot was opened, or the run started if it has none, or a republished or expired one. ISO 8601 in UTC. */
  readonly asOf: string
  /** Of the snapshot; undefined if it is not kept, or the run is an increment. */
  readonly manifest: Manifest | undefined
  readonly found: () => Promise<FoundDocument | undefined>
  readonly withheld: () => Promise<Withheld>
  readonly record: () => Promise<Recorded>
  /** The state of the run that it follows. */
  readonly stateBefore: () => Promise<DocumentState>
  readonly stateAfter: () => Promise<DocumentState>
}

/** The runs whose states are kept or follow from the change sets, in the order in which readers had them. */
export async function readRuns(context: HistoryContext, entity: string, id: string): Promise<DocumentRun[]> {
  const [manifests, stored] = await Promise.all([
    context.readSnapshots(entity),
    context.changes.readLatest(entity),
  ])
  const chain = stored?.value
  const { sets = [] } = chain ?? {}
  const ofSnapshot = chain && chainSnapshotRun(chain)
  const kept = new Map(manifests.map((manifest) => [manifest.runId, manifest]))
  const listed = new Map(sets.map((set) => [set.runId, set]))
  const inChain = new Set([sets[0]?.base ?? [], ...listed.keys()].flat())
  const runs: DocumentRun[] = []
  for (const runId of inOrder(inChain, [...kept.keys()])) {
    const manifest = kept.get(runId)
    const set = listed.get(runId)
    const place = { entity, runId, id }
    // Increments repeat what the full set before them withholds, which may no longer be listed.
    const withheldBy = chain && runId === ofSnapshot && !chain.erased ? chain.tip : runId
    // A full set that the chain no longer lists: it has expired from the list, or was before a reset.
    const mayBeUnlisted =
      !set && manifest !== undefined && chain !== undefined && runId <= (sets[0]?.runId ?? chain.tip)
    const isFull = set ? isFullSet(set) : mayBeUnlisted
    // A snapshot without a set, such as a refused one, is not what the next set starts from.
    const before = set ? runs.findLast((run) => inChain.has(run.runId)) : runs.at(-1)
    const run = {
      runId,
      isInChain: inChain.has(runId),
      asOf: asOfRun(runId, manifest),
      manifest,
      found: once(async () => manifest && findDocument(context, manifest, id)),
      withheld: once<Withheld>(async () =>
        isFull ? findWithheld(context, { ...place, runId: withheldBy }) : { in: 'no set' },
      ),
      mayBeUnlisted,
      hasIncrements: chain?.window !== undefined,
      record: once<Recorded>(async () => (set ? findRecord(context, { ...place, set }) : { in: 'nothing' })),
      stateBefore: before?.stateAfter ?? (async () => 'unknown' as const),
    }
    // Of the run that the oldest set follows, neither snapshot nor set may be kept.
    const isKnown = manifest !== undefined || set !== undefined
    runs.push({ ...run, stateAfter: once(async () => (isKnown ? stateAfter(run) : 'unknown')) })
  }
  return runs
}

/**
 * The state at the tip, from the parts of the chain's state. It is that of every set that no later one says something
 * about: after many increments, the full set before them is no longer listed.
 */
export async function stateAtTip(
  context: HistoryContext,
  entity: string,
  id: string,
): Promise<DocumentState> {
  const chain = (await context.changes.readLatest(entity))?.value
  if (!chain || chain.erased) return 'unknown'
  const set = (await context.changes.readManifest(entity, chain.tip))?.value
  const manifests = await context.readSnapshots(entity)
  const manifest = manifests.find(({ runId }) => runId === chainSnapshotRun(chain))
  if (!set || !manifest) return 'unknown'
  const over = await findOver(set, id, context.read)
  if (over.in === 'withheld') return { document: over.document, counted: over.counted }
  const found = await findDocument(context, manifest, id)
  return found ? { document: found.line.toString(), counted: 0 } : 'absent'
}

/** The runs of the chain in its order, in which a set that was accepted later follows newer runs, and the others between. */
function inOrder(inChain: ReadonlySet<string>, kept: readonly string[]): string[] {
  const others = kept.filter((runId) => !inChain.has(runId)).toSorted()
  const runs = [...inChain].flatMap((runId) => {
    const older = others.findIndex((other) => other > runId)
    return [...others.splice(0, older < 0 ? others.length : older), runId]
  })
  return [...runs, ...others]
}

interface RunParts extends Omit<DocumentRun, 'stateAfter'> {
  /** Whether its set is in no list, if it has one. */
  readonly mayBeUnlisted: boolean
  readonly hasIncrements: boolean
}

/** What a run's set withholds replaces the version of its snapshot. Without one, its record has the version. */
async function stateAfter(run: RunParts): Promise<DocumentState> {
  const { manifest, found, withheld, record, stateBefore, mayBeUnlisted, hasIncrements } = run
  const kept = await withheld()
  if (kept.in === 'withheld') return { document: kept.document, counted: kept.counted }
  const mayHaveExpired = kept.in === 'unknown' && mayBeUnlisted
  // The set may have kept what increments had delivered.
  if (mayHaveExpired && hasIncrements) return 'unknown'
  if (manifest) {
    const document = (await found())?.line.toString()
    if (document !== undefined) return { document, counted: 0 }
    if (kept.in === 'nothing') return 'absent'
    const before = await stateBefore()
    return before === 'unknown' && mayHaveExpired ? stateIfAny(manifest) : stateWithout(manifest, before)
  }
  const recorded = await record()
  if (recorded.in === 'nothing') return stateBefore()
  if (recorded.in === 'unknown') return 'unknown'
  return recorded.after === undefined ? 'absent' : { document: recorded.after, counted: 0 }
}

/** The same if its set may have withheld a document that is not known. */
function stateIfAny(manifest: Manifest): 'absent' | 'unknown' {
  const decision = decideAbsence(absenceEvidence(manifest), { counted: 0, isDated: false })
  return decision === 'deleted' ? 'absent' : 'unknown'
}

/** The document as of a snapshot that lacks it and has no change set. */
function stateWithout(manifest: Manifest, before: DocumentState): Exclude<DocumentState, 'unknown'> {
  if (typeof before === 'string') return 'absent'
  const evidence = absenceEvidence(manifest)
  const isDated = hasDate(Buffer.from(before.document), evidence.by)
  const decision = decideAbsence(evidence, { counted: before.counted, isDated })
  return decision === 'deleted' ? 'absent' : { ...before, counted: decision }
}

/** What a run's set says about the state before it; undefined if it says nothing. */
export async function recordedBefore(run: DocumentRun): Promise<DocumentState | undefined> {
  const recorded = await run.record()
  if (recorded.in === 'unknown') return 'unknown'
  if (recorded.in === 'records') {
    // An increment does not know what was before.
    if (recorded.kind === 'delivered') return 'unknown'
    return recorded.before === undefined ? 'absent' : { document: recorded.before, counted: 0 }
  }
  const { in: kept } = await run.withheld()
  // Without a record, the state is the same before and after.
  return kept === 'withheld' || (kept === 'nothing' && run.manifest) ? run.stateAfter() : undefined
}

/**
 * When the snapshot was opened if it is kept, or else when its run started. A republished snapshot is older, but what was
 * published in between counts until then.
 */
function asOfRun(runId: string, manifest: Manifest | undefined): string {
  if (manifest && manifest.republishedFrom === undefined) return manifest.openedAt
  return new Date(timeOfRunId(runId)).toISOString()
}

function once<T>(read: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined
  return () => (result ??= read())
}
