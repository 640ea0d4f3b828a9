import type { Manifest } from '../../stored/snapshots/manifest.ts'
import type { RecordKind } from '../changes/known-forms.ts'
import { type DocumentRun, type DocumentState, type HistoryContext, readRuns } from './document-states.ts'
import type { FoundDocument } from './find-document.ts'
import { type ChangedField, changedFields } from './record.ts'

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

type Change = Pick<DocumentVersion, 'kind' | 'changes'>

/** What is known of a document: its versions in the kept snapshots and in the change sets. Throws `DamagedData`. */
export async function readHistory(
  context: HistoryContext,
  entity: string,
  id: string,
): Promise<DocumentHistory> {
  const runs = await readRuns(context, entity, id)
  const ignored = await ignoredFields(context, entity)
  const versions: DocumentVersion[] = []
  let current: DocumentHistory['current']
  for (const run of runs) {
    const { runId, asOf, manifest } = run
    const found = await run.found()
    if (manifest) current = found && { manifest, found }
    const change = await changeIn(run, ignored)
    if (change) versions.push({ runId, asOf, ...change })
  }
  return { current, versions: versions.toReversed() }
}

/** The fields that do not count in the chain, in which every set has the same. */
async function ignoredFields({ changes }: HistoryContext, entity: string): Promise<ReadonlySet<string>> {
  const chain = (await changes.readLatest(entity))?.value
  return new Set(chain && (await changes.readManifest(entity, chain.tip))?.value.ignore)
}

/** Undefined if neither a kept snapshot nor a set says something about the document. */
async function changeIn(
  run: DocumentRun,
  ignored: ReadonlySet<string>,
): Promise<(Pick<DocumentVersion, 'source'> & Change) | undefined> {
  const recorded = await run.record()
  const before = await run.stateBefore()
  if (recorded.in === 'records') {
    const { kind, before: old, after: current } = recorded
    if (kind === 'delivered') return { source: 'increment', ...presentChange(before, current ?? '', ignored) }
    return { source: 'change-set', kind, changes: changedFields(old, current, ignored) }
  }
  const document = (await run.found())?.line.toString()
  if ((await run.withheld()).in === 'withheld')
    return { source: 'change-set', kind: document === undefined ? 'withheld' : 'held', changes: [] }
  if (!run.manifest) return undefined
  const change =
    document === undefined
      ? absentChange(before, await run.stateAfter())
      : presentChange(before, document, ignored)
  return { source: 'snapshot', ...change }
}

/** The state of a document that a snapshot lacks. */
function absentChange(before: DocumentState, after: DocumentState): Change {
  const isUnknown = typeof before === 'string' || after === 'unknown'
  const kind = isUnknown ? 'absent' : after === 'absent' ? 'deleted' : 'withheld'
  return { kind, changes: [] }
}

/** The document in a snapshot, or as an increment read it, compared with what was known before. */
function presentChange(before: DocumentState, document: string, ignored: ReadonlySet<string>): Change {
  if (before === 'unknown') return { kind: 'present', changes: [] }
  if (before === 'absent') return { kind: 'created', changes: [] }
  const changes = changedFields(before.document, document, ignored)
  return { kind: changes.length > 0 ? 'updated' : 'unchanged', changes }
}
