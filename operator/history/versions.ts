import { decideAbsence, evidenceOf } from '../../functions/chain/absence.ts'
import { hasDate } from '../../functions/chain/document-dates.ts'
import type { ChangesLatest, CountedAbsences, SetSummary } from '../../functions/state/changes/changes.ts'
import { timeOfRunId } from '../../functions/state/run/run.ts'
import type { Manifest } from '../../functions/state/snapshots/manifest.ts'
import { type FindContext, type FoundDocument, findDocument } from './find-document.ts'
import type { KeptManifests } from './kept-manifests.ts'
import { type ChangedField, changedFields, type RecordKind } from './record.ts'
import { findRecord, type Recorded, type SetContext } from './recorded.ts'

export interface HistoryContext extends FindContext, SetContext {
  readonly kept: Pick<KeptManifests, 'list'>
}

/** A document as of a run: what its change set records, or how its snapshot differs from the kept one before. */
export interface DocumentVersion {
  readonly runId: string
  /** When the snapshot was opened, or the run started if it has none, or a republished or expired one. ISO 8601 in UTC. */
  readonly asOf: string
  readonly source: 'snapshot' | 'change-set' | 'increment'
  /**
   * `present`: in the oldest kept snapshot, so that nothing is known of what was before. `withheld`: missing from the
   * snapshot, and not yet reported as deleted. `held`: the snapshot has an older version than an increment delivered.
   */
  readonly kind: Exclude<RecordKind, 'delivered'> | 'unchanged' | 'absent' | 'present' | 'withheld' | 'held'
  readonly changes: readonly ChangedField[]
}

export interface DocumentHistory {
  /** In the newest kept snapshot; undefined if it is not there. */
  readonly current: { readonly manifest: Manifest; readonly found: FoundDocument } | undefined
  /** Newest first. */
  readonly versions: readonly DocumentVersion[]
}

/** A document as of a snapshot: `unknown` before the oldest one, `absent` without it or once it was deleted. */
type State = Known | 'absent' | 'unknown'

interface Known {
  readonly document: string
  /** How many snapshots after its last one count towards its deletion. */
  readonly counted: CountedAbsences
}

type Change = Pick<DocumentVersion, 'kind' | 'changes'>

/** What is known of a document: its versions in the kept snapshots and in the change sets. Throws `DamagedData`. */
export async function readHistory(
  context: HistoryContext,
  entity: string,
  id: string,
): Promise<DocumentHistory> {
  const [manifests, chain] = await Promise.all([
    context.kept.list(entity),
    context.changes.readLatest(entity),
  ])
  const recorded = await recordsIn(context, { entity, id, sets: chain?.value.sets ?? [] })
  const ignored = await ignoredFields(context, entity, chain?.value)
  const kept = new Map(manifests.map((manifest) => [manifest.runId, manifest]))
  const versions: DocumentVersion[] = []
  let before: State = 'unknown'
  let current: DocumentHistory['current']
  for (const runId of [...new Set([...kept.keys(), ...recorded.keys()])].toSorted()) {
    const manifest = kept.get(runId)
    const found = manifest && (await findDocument(context, manifest, id))
    if (manifest) current = found && { manifest, found }
    const run = { manifest, document: found?.line.toString(), recorded: recorded.get(runId) }
    const after = stateAfter(run, before)
    versions.push({ runId, asOf: asOfRun(runId, manifests), ...changeIn(run, { before, after, ignored }) })
    before = after
  }
  return { current, versions: versions.toReversed() }
}

/** The fields that do not count in the chain, in which every set has the same. */
async function ignoredFields(
  { changes }: Pick<HistoryContext, 'changes'>,
  entity: string,
  chain: ChangesLatest | undefined,
): Promise<ReadonlySet<string>> {
  return new Set(chain && (await changes.readManifest(entity, chain.tip))?.value.ignore)
}

type RecordedDocument = Extract<Recorded, { in: 'records' | 'withheld' }>

/** What the sets contain about the document, by their runs. */
async function recordsIn(
  context: HistoryContext,
  { entity, id, sets }: { entity: string; id: string; sets: readonly SetSummary[] },
): Promise<Map<string, RecordedDocument>> {
  const found = new Map<string, RecordedDocument>()
  for (const set of sets) {
    const recorded = await findRecord(context, { entity, set, id })
    if (recorded.in === 'records' || recorded.in === 'withheld') found.set(set.runId, recorded)
  }
  return found
}

/** What a run has of the document. */
interface RunWithDocument {
  /** Of the snapshot; undefined if it is not kept, or the run is an increment. */
  readonly manifest: Manifest | undefined
  /** In that snapshot. */
  readonly document: string | undefined
  readonly recorded: RecordedDocument | undefined
}

function stateAfter({ manifest, document, recorded }: RunWithDocument, before: State): State {
  if (recorded?.in === 'withheld' && (document !== undefined || !manifest))
    return { document: recorded.document, counted: 0 }
  if (document !== undefined) return { document, counted: 0 }
  if (manifest) return stateWithout(manifest, before)
  const after = recorded?.in === 'records' ? recorded.after : undefined
  return after === undefined ? 'absent' : { document: after, counted: 0 }
}

/** The state of the document before and after a run. */
interface Transition {
  readonly before: State
  readonly after: State
  readonly ignored: ReadonlySet<string>
}

function changeIn(
  { document, recorded }: RunWithDocument,
  { before, after, ignored }: Transition,
): Pick<DocumentVersion, 'source'> & Change {
  if (recorded?.in === 'withheld')
    return { source: 'change-set', kind: document === undefined ? 'withheld' : 'held', changes: [] }
  if (recorded?.kind === 'delivered')
    return { source: 'increment', ...presentChange(before, recorded.after ?? '', ignored) }
  if (recorded)
    return {
      source: 'change-set',
      kind: recorded.kind,
      changes: changedFields(recorded.before, recorded.after, ignored),
    }
  const change =
    document === undefined ? absentChange(before, after) : presentChange(before, document, ignored)
  return { source: 'snapshot', ...change }
}

/**
 * When the snapshot was opened if it is kept, or else when its run started. A republished snapshot is older, but what was
 * published in between counts until then.
 */
export function asOfRun(runId: string, manifests: readonly Manifest[]): string {
  const scrolled = manifests.find((one) => one.runId === runId && one.republishedFrom === undefined)
  return scrolled?.openedAt ?? new Date(timeOfRunId(runId)).toISOString()
}

/** The document as of a snapshot that lacks it. */
function stateWithout(manifest: Manifest, before: State): Exclude<State, 'unknown'> {
  if (typeof before === 'string') return 'absent'
  const evidence = evidenceOf(manifest)
  const isDated = hasDate(Buffer.from(before.document), evidence.by)
  const decision = decideAbsence(evidence, { counted: before.counted, isDated })
  return decision === 'deleted' ? 'absent' : { ...before, counted: decision }
}

/** The state of a document that a snapshot lacks. */
function absentChange(before: State, after: State): Change {
  const kind = typeof before === 'string' ? 'absent' : after === 'absent' ? 'deleted' : 'withheld'
  return { kind, changes: [] }
}

/** The document in a snapshot, or as an increment read it, compared with what was known before. */
function presentChange(before: State, document: string, ignored: ReadonlySet<string>): Change {
  if (before === 'unknown') return { kind: 'present', changes: [] }
  if (before === 'absent') return { kind: 'created', changes: [] }
  const changes = changedFields(before.document, document, ignored)
  return { kind: changes.length > 0 ? 'updated' : 'unchanged', changes }
}
