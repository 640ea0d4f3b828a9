import { partsOver } from '../../stored/chain/state-parts.ts'
import type { ChangeSetStore } from '../../stored/changes/change-sets.aws.ts'
import type { CountedAbsences, SetManifest } from '../../stored/changes/changes.ts'
import type { SetSummary } from '../../stored/changes/changes-latest.ts'
import type { ReadObject } from '../aws/objects.aws.ts'
import type { ManifestObject } from '../snapshot/checked-objects.ts'
import { intactLines, objectsOfPages, objectsOfParts } from '../snapshot/checked-objects.ts'
import { identitiesOf, lastMatch } from './find-document.ts'
import { type HistoryRecord, parseRecord } from './record.ts'

export interface SetContext {
  readonly changes: Pick<ChangeSetStore, 'readLatest' | 'readManifest' | 'readRefused'>
  readonly read: ReadObject
}

/** The record of a document in a change set. */
export type Recorded =
  | ({ readonly in: 'records' } & HistoryRecord)
  | { readonly in: 'nothing' }
  /** The set's manifest is gone. */
  | { readonly in: 'unknown' }

/** A document that belongs to the state of a full set, although the snapshot lacks it or has an older version. */
export type Withheld =
  | { readonly in: 'withheld'; readonly document: string; readonly counted: CountedAbsences }
  | { readonly in: 'nothing' }
  /** Of an increment, or of a run whose set was refused. */
  | { readonly in: 'no set' }
  /** Of a run whose set is gone, if it had one. */
  | { readonly in: 'unknown' }

interface Place {
  readonly entity: string
  readonly runId: string
  readonly id: string
}

/** Reads the records of a set until it finds the document. Throws `DamagedData`. */
export async function findRecord(
  { changes, read }: SetContext,
  { entity, runId, id, set }: Place & { readonly set: SetSummary },
): Promise<Recorded> {
  if (set.kind === 'reset') return { in: 'nothing' }
  const manifest = (await changes.readManifest(entity, runId))?.value
  if (!manifest) return { in: 'unknown' }
  const record = await findLine(objectsOfParts(manifest.parts), { id, idField: 'id', read })
  return record ? { in: 'records', ...parseRecord(record) } : { in: 'nothing' }
}

/** Reads what a set names as withheld until it finds the document. Throws `DamagedData`. */
export async function findWithheld(
  { changes, read }: SetContext,
  { entity, runId, id }: Place,
): Promise<Withheld> {
  const set = (await changes.readManifest(entity, runId))?.value
  if (set) return findOver({ ...set, incrementParts: [] }, id, read)
  return { in: (await changes.readRefused(entity, runId)) ? 'no set' : 'unknown' }
}

/** The last version of a document in what readers who begin apply over the snapshot of a set. */
export async function findOver(
  set: Parameters<typeof partsOver>[0] & Pick<SetManifest, 'idField'>,
  id: string,
  read: ReadObject,
): Promise<Exclude<Withheld, { in: 'no set' | 'unknown' }>> {
  for (const part of partsOver(set).toReversed()) {
    const isRecord = 'holds' in part
    const line = await findLine(objectsOfPages([part]), { id, idField: isRecord ? 'id' : set.idField, read })
    const document = line && (isRecord ? parseRecord(line).after : line.toString())
    const counted = part.from === 'withheld' ? part.countedAbsences : 0
    if (document !== undefined) return { in: 'withheld', document, counted }
  }
  return { in: 'nothing' }
}

async function findLine(
  objects: readonly ManifestObject[],
  { id, idField, read }: { id: string; idField: string; read: ReadObject },
): Promise<Buffer | undefined> {
  const identities = identitiesOf(id)
  for await (const lines of intactLines(objects, read)) {
    const match = lastMatch(lines, { idField, identities })
    if (match) return match.line
  }
  return undefined
}
