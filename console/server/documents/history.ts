import type { ReadObject } from '../../../cli/aws/objects.aws.ts'
import { objectsOfParts } from '../../../cli/snapshot/checked-objects.ts'
import { type Fields, readFields } from '../../../cli/snapshot/fields.ts'
import type { ChangeSetStore } from '../../../functions/state/changes/change-sets.aws.ts'
import type { HistoryAnswer, VersionRow } from '../../contract.ts'
import { type FindContext, findDocument, identitiesOf, lastMatch } from './find.ts'
import type { KeptSnapshots } from './kept-snapshots.ts'
import { stored } from './pages.ts'
import { readText } from './read-lines.ts'
import { documentRow, fieldChanges, recordRow } from './values.ts'

export interface HistoryContext extends FindContext {
  readonly kept: KeptSnapshots
  readonly changes: Pick<ChangeSetStore, 'readLatest' | 'readManifest'>
}

/** A document in a snapshot, if it is there. `unknown` before the oldest one. */
type Version = Fields | 'absent' | 'unknown'

/** What is known of a document: its versions in the kept snapshots and in the change sets, newest first. */
export async function readHistory(
  context: HistoryContext,
  entity: string,
  id: string,
): Promise<HistoryAnswer> {
  const [manifests, recorded] = await Promise.all([
    context.kept.manifests(entity),
    recordedVersions(context, entity, id),
  ])
  const versions: VersionRow[] = [...recorded]
  let before: Version = 'unknown'
  let document: HistoryAnswer['document'] = null
  for (const manifest of manifests.toReversed()) {
    const found = await findDocument(context, manifest, id)
    const after = found ? readFields(found.line) : 'absent'
    document = found ? documentRow(stored(manifest, found.position, found.line), 'beginning') : null
    const isRecorded = recorded.some(({ runId }) => runId === manifest.runId)
    if (!isRecorded) versions.push(snapshotVersion(manifest.runId, before, after))
    before = after
  }
  return { id, document, versions: versions.toSorted((one, other) => (one.runId < other.runId ? 1 : -1)) }
}

/** The document in one snapshot compared with the kept snapshot before it. */
function snapshotVersion(runId: string, before: Version, after: Fields | 'absent'): VersionRow {
  const row = (kind: VersionRow['kind'], changes: VersionRow['changes'] = []): VersionRow => ({
    runId,
    source: 'snapshot',
    kind,
    changes,
  })
  if (after === 'absent') return row(typeof before === 'string' ? 'absent' : 'deleted')
  if (before === 'unknown') return row('present')
  if (before === 'absent') return row('created')
  const changes = fieldChanges(before, after, 'beginning')
  return changes.length > 0 ? row('updated', changes) : row('unchanged')
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
    const line = manifest && (await recordOf(manifest.value.parts, { id, read }))
    if (!line) continue
    const record = recordRow({ line, path: '' }, 'beginning')
    versions.push({ runId, source: 'change-set', kind: record.kind, changes: record.changes })
  }
  return versions
}

async function recordOf(
  parts: Parameters<typeof objectsOfParts>[0],
  { id, read }: { id: string; read: ReadObject },
): Promise<Buffer | undefined> {
  const identities = identitiesOf(id)
  for (const object of objectsOfParts(parts)) {
    const match = lastMatch(await readText(object, read), { idField: 'id', identities })
    if (match) return match.line
  }
  return undefined
}
