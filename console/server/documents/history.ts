import { hasDate } from '../../../functions/documents/has-date.ts'
import { decideAbsence, evidenceOf } from '../../../functions/state/changes/absence.ts'
import type { ChangeSetStore } from '../../../functions/state/changes/change-sets.aws.ts'
import type { CountedAbsences } from '../../../functions/state/changes/changes.ts'
import type { Manifest } from '../../../functions/state/snapshots/manifest.ts'
import type { ReadObject } from '../../../operator/aws/objects.aws.ts'
import { objectsOfParts } from '../../../operator/snapshot/checked-objects.ts'
import { readFields } from '../../../operator/snapshot/fields.ts'
import type { HistoryResponse, VersionRow } from '../../contract.ts'
import { type FindContext, findDocument, identitiesOf, lastMatch } from './find.ts'
import type { KeptSnapshots } from './kept-snapshots.ts'
import { stored } from './pages.ts'
import { readText } from './read-lines.ts'
import { documentRow, fieldChanges, recordRow } from './values.ts'

export interface HistoryContext extends FindContext {
  readonly kept: KeptSnapshots
  readonly changes: Pick<ChangeSetStore, 'readLatest' | 'readManifest'>
}

/** A document as of a snapshot: `unknown` before the oldest one, `absent` without it or once it was deleted. */
type Version = Known | 'absent' | 'unknown'

interface Known {
  readonly line: Buffer
  /** How many snapshots after its last one count towards its deletion. */
  readonly counted: CountedAbsences
}

/** What is known of a document: its versions in the kept snapshots and in the change sets, newest first. */
export async function readHistory(
  context: HistoryContext,
  entity: string,
  id: string,
): Promise<HistoryResponse> {
  const [manifests, recorded] = await Promise.all([
    context.kept.manifests(entity),
    recordedVersions(context, entity, id),
  ])
  const versions: VersionRow[] = [...recorded]
  let before: Version = 'unknown'
  let document: HistoryResponse['document'] = null
  for (const manifest of manifests.toReversed()) {
    const found = await findDocument(context, manifest, id)
    const after: Version = found ? { line: found.line, counted: 0 } : versionWithout(manifest, before)
    document = found ? documentRow(stored(manifest, found.position, found.line), 'beginning') : null
    const isRecorded = recorded.some(({ runId }) => runId === manifest.runId)
    if (!isRecorded) {
      const row = found
        ? presentVersion(before, found.line)
        : { kind: absentKind(before, after), changes: [] }
      versions.push({ runId: manifest.runId, source: 'snapshot', ...row })
    }
    before = after
  }
  return { id, document, versions: versions.toSorted((one, other) => (one.runId < other.runId ? 1 : -1)) }
}

/** The document as of a snapshot that lacks it. */
function versionWithout(manifest: Manifest, before: Version): Exclude<Version, 'unknown'> {
  if (typeof before === 'string') return 'absent'
  const evidence = evidenceOf(manifest)
  const isDated = hasDate(before.line, evidence.by)
  const decision = decideAbsence(evidence, { counted: before.counted, isDated })
  return decision === 'deleted' ? 'absent' : { ...before, counted: decision }
}

/** What a snapshot that lacks the document makes of it. */
function absentKind(before: Version, after: Version): VersionRow['kind'] {
  if (typeof before === 'string') return 'absent'
  return after === 'absent' ? 'deleted' : 'withheld'
}

/** The document in one snapshot compared with what was known before. */
function presentVersion(before: Version, line: Buffer): Pick<VersionRow, 'kind' | 'changes'> {
  if (before === 'unknown') return { kind: 'present', changes: [] }
  if (before === 'absent') return { kind: 'created', changes: [] }
  const changes = fieldChanges(readFields(before.line), readFields(line), 'beginning')
  return { kind: changes.length > 0 ? 'updated' : 'unchanged', changes }
}

async function recordedVersions(
  { changes, read }: HistoryContext,
  entity: string,
  id: string,
): Promise<VersionRow[]> {
  const chain = await changes.readLatest(entity)
  const versions: VersionRow[] = []
  for (const { runId, kind } of chain?.value.sets ?? []) {
    const manifest = kind === 'changes' ? await changes.readManifest(entity, runId) : undefined
    if (!manifest) continue
    const { parts, withheldParts, idField } = manifest.value
    const line = await lineOf(parts, { id, idField: 'id', read })
    if (line) {
      const { kind, changes } = recordRow({ line, path: '' }, 'beginning')
      versions.push({ runId, source: 'change-set', kind, changes })
    } else if (await lineOf(withheldParts, { id, idField, read })) {
      versions.push({ runId, source: 'change-set', kind: 'withheld', changes: [] })
    }
  }
  return versions
}

async function lineOf(
  parts: Parameters<typeof objectsOfParts>[0],
  { id, idField, read }: { id: string; idField: string; read: ReadObject },
): Promise<Buffer | undefined> {
  const identities = identitiesOf(id)
  for (const object of objectsOfParts(parts)) {
    const match = lastMatch(await readText(object, read), { idField, identities })
    if (match) return match.line
  }
  return undefined
}
