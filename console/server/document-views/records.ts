import { ProblemError } from '../../../functions/http/result.ts'
import type { ReadObject } from '../../../operator/aws/objects.aws.ts'
import { keptTexts } from '../../../operator/changes/kept-documents.ts'
import { objectsOfParts, readIntactLines } from '../../../operator/snapshot/checked-objects.ts'
import { countsOf, ownWithheldParts } from '../../../stored/changes/chain-facts.ts'
import type { ChangesManifest, SetManifest } from '../../../stored/changes/changes.ts'
import type { SetSummary } from '../../../stored/changes/changes-latest.ts'
import type { RecordRow, RecordsResponse, SetRow, ValueText } from '../../contract/change-sets.ts'
import { idText, recordRow } from './values.ts'

const maxRecords = 50

/** Records of a change set from this index on, with the beginnings of their values. */
export async function readRecords(
  manifest: SetManifest,
  from: number,
  read: ReadObject,
): Promise<RecordsResponse> {
  const { stateDocuments, parts } = manifest
  const lines = await linesFrom(manifest, { from, count: maxRecords }, read)
  return {
    set: setRow(manifest),
    counts: manifest.kind === 'changes' ? comparedCounts(manifest) : null,
    kept: { texts: keptTexts(manifest), ids: await readKeptIds(manifest, read) },
    audit: auditOf(manifest),
    stateDocuments,
    from,
    total: parts.reduce((sum, { records }) => sum + records, 0),
    records: lines.map((line, index) =>
      recordRow({ line, path: recordPath(manifest, from + index) }, 'beginning'),
    ),
  }
}

/** The counts of a change set. A reset has no records. */
export function setRow(set: SetManifest | SetSummary): SetRow {
  const { runId, base, kind } = set
  const { created, updated, deleted, delivered } = countsOf(set)
  return { runId, base, kind, created, updated, deleted, delivered }
}

/** One record with its whole values. Throws `ProblemError` if there is none. */
export async function readRow(manifest: SetManifest, index: number, read: ReadObject): Promise<RecordRow> {
  const [line] = await linesFrom(manifest, { from: index, count: 1 }, read)
  if (!line) throw new ProblemError('not-found', 'The change set has fewer records.')
  return recordRow({ line, path: recordPath(manifest, index) }, 'whole')
}

const maxKeptIds = 20

/** The first documents that readers keep although the snapshot does not have them. */
async function readKeptIds(manifest: SetManifest, read: ReadObject): Promise<ValueText[]> {
  const [part] = objectsOfParts(ownWithheldParts(manifest))
  if (!part) return []
  const lines = (await readIntactLines(part, read)).slice(0, maxKeptIds)
  return lines.flatMap((line) => idText(line, manifest.idField, 'whole') ?? [])
}

const recordPath = ({ entity, runId }: SetManifest, index: number) =>
  `/entities/${encodeURIComponent(entity)}/changes/${runId}/records/${index}`

function auditOf(manifest: SetManifest): RecordsResponse['audit'] {
  if (manifest.kind !== 'changes' || manifest.missedByIncrements === undefined) return null
  return { missed: manifest.missedByIncrements, invisible: manifest.invisibleToIncrements ?? 0 }
}

function comparedCounts({ unchanged, rewritten, withheld, held, baseDocuments }: ChangesManifest) {
  return { unchanged, rewritten, withheld, held: held ?? null, baseDocuments }
}

/** Reads only the parts that contain these records. */
async function linesFrom(
  { parts }: SetManifest,
  { from, count }: { from: number; count: number },
  read: ReadObject,
): Promise<Buffer[]> {
  const lines: Buffer[] = []
  let first = 0
  for (const object of objectsOfParts(parts)) {
    const end = first + object.count
    if (end > from && lines.length < count) {
      const start = Math.max(0, from - first)
      lines.push(...(await readIntactLines(object, read)).slice(start, start + count - lines.length))
    }
    first = end
  }
  return lines
}
