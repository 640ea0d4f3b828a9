import { hasDate } from '../../functions/documents/has-date.ts'
import { decideAbsence, evidenceOf } from '../../functions/state/changes/absence.ts'
import type { CountedAbsences, SetSummary } from '../../functions/state/changes/changes.ts'
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
  /** When the snapshot was opened, or the run started if its snapshot was republished or is not kept. ISO 8601 in UTC. */
  readonly asOf: string
  readonly source: 'snapshot' | 'change-set'
  /**
   * `present`: in the oldest kept snapshot, so that nothing is known of what was before. `withheld`: missing from the
   * snapshot, and not yet reported as deleted.
   */
  readonly kind: RecordKind | 'unchanged' | 'absent' | 'present' | 'withheld'
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
  const versions = await recordedVersions(context, { entity, id, sets: chain?.value.sets ?? [], manifests })
  const recorded = new Set(versions.map(({ runId }) => runId))
  let before: State = 'unknown'
  let current: DocumentHistory['current']
  for (const manifest of manifests.toReversed()) {
    const found = await findDocument(context, manifest, id)
    const after: State = found
      ? { document: found.line.toString(), counted: 0 }
      : stateWithout(manifest, before)
    current = found && { manifest, found }
    const { runId } = manifest
    if (!recorded.has(runId)) {
      const change = found ? presentChange(before, found.line.toString()) : absentChange(before, after)
      versions.push({ runId, asOf: asOfRun(runId, manifests), source: 'snapshot', ...change })
    }
    before = after
  }
  return { current, versions: versions.toSorted((one, other) => (one.runId < other.runId ? 1 : -1)) }
}

async function recordedVersions(
  context: HistoryContext,
  of: { entity: string; id: string; sets: readonly SetSummary[]; manifests: readonly Manifest[] },
): Promise<DocumentVersion[]> {
  const { entity, id, sets, manifests } = of
  const versions: DocumentVersion[] = []
  for (const set of sets) {
    const recorded = await findRecord(context, { entity, set, id })
    const change = recordedChange(recorded)
    const { runId } = set
    if (change) versions.push({ runId, asOf: asOfRun(runId, manifests), source: 'change-set', ...change })
  }
  return versions
}

/**
 * When the snapshot was opened if it is kept, or else when its run started. A republished snapshot is older, but what was
 * published in between counts until then.
 */
export function asOfRun(runId: string, manifests: readonly Manifest[]): string {
  const scrolled = manifests.find((one) => one.runId === runId && one.republishedFrom === undefined)
  return scrolled?.openedAt ?? new Date(timeOfRunId(runId)).toISOString()
}

function recordedChange(recorded: Recorded): Change | undefined {
  if (recorded.in === 'withheld') return { kind: 'withheld', changes: [] }
  if (recorded.in !== 'records') return undefined
  return { kind: recorded.kind, changes: changedFields(recorded.before, recorded.after) }
}

/** The document as of a snapshot that lacks it. */
function stateWithout(manifest: Manifest, before: State): Exclude<State, 'unknown'> {
  if (typeof before === 'string') return 'absent'
  const evidence = evidenceOf(manifest)
  const isDated = hasDate(Buffer.from(before.document), evidence.by)
  const decision = decideAbsence(evidence, { counted: before.counted, isDated })
  return decision === 'deleted' ? 'absent' : { ...before, counted: decision }
}

/** What a snapshot that lacks the document makes of it. */
function absentChange(before: State, after: State): Change {
  const kind = typeof before === 'string' ? 'absent' : after === 'absent' ? 'deleted' : 'withheld'
  return { kind, changes: [] }
}

/** The document in one snapshot compared with what was known before. */
function presentChange(before: State, document: string): Change {
  if (before === 'unknown') return { kind: 'present', changes: [] }
  if (before === 'absent') return { kind: 'created', changes: [] }
  const changes = changedFields(before.document, document)
  return { kind: changes.length > 0 ? 'updated' : 'unchanged', changes }
}
