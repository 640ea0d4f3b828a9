import type { ChangeSetStore } from '../../functions/state/changes/change-sets.aws.ts'
import type { ChangePart, SetManifest, SetSummary } from '../../functions/state/changes/changes.ts'
import type { ReadObject } from '../aws/objects.aws.ts'
import { objectsOfParts } from '../snapshot/checked-objects.ts'
import { intactLines } from '../snapshot/intact-lines.ts'
import { identitiesOf, lastMatch } from './find-document.ts'
import { type ChangeRecord, parseRecord } from './record.ts'

export interface SetContext {
  readonly changes: Pick<ChangeSetStore, 'readLatest' | 'readManifest'>
  readonly read: ReadObject
}

/** What a change set contains about a document. */
export type Recorded =
  | ({ readonly in: 'records' } & ChangeRecord)
  /** It belongs to the state, although the snapshot lacks it. */
  | { readonly in: 'withheld'; readonly document: string }
  | { readonly in: 'nothing' }
  /** The set's manifest is gone. */
  | { readonly in: 'unknown' }

/** Reads a set until it finds the document. Throws `DamagedData`. */
export async function findRecord(
  { changes, read }: SetContext,
  { entity, set, id }: { readonly entity: string; readonly set: SetSummary; readonly id: string },
): Promise<Recorded> {
  if (set.kind === 'reset') return { in: 'nothing' }
  const manifest: SetManifest | undefined = (await changes.readManifest(entity, set.runId))?.value
  if (!manifest) return { in: 'unknown' }
  const { parts, withheldParts, idField } = manifest
  const record = await findLine(parts, { id, idField: 'id', read })
  if (record) return { in: 'records', ...parseRecord(record) }
  // An increment only repeats what the set before it withholds.
  if (manifest.kind === 'increment') return { in: 'nothing' }
  const document = await findLine(withheldParts, { id, idField, read })
  return document ? { in: 'withheld', document: document.toString() } : { in: 'nothing' }
}

/** A document that the state at a run has in place of, or in addition to, that of its snapshot. */
export async function findWithheld(
  { changes, read }: SetContext,
  { entity, runId, id }: { readonly entity: string; readonly runId: string; readonly id: string },
): Promise<string | undefined> {
  const set = (await changes.readManifest(entity, runId))?.value
  if (!set || set.kind === 'increment') return undefined
  const { withheldParts, idField } = set
  return (await findLine(withheldParts, { id, idField, read }))?.toString()
}

async function findLine(
  parts: readonly ChangePart[],
  { id, idField, read }: { id: string; idField: string; read: ReadObject },
): Promise<Buffer | undefined> {
  const identities = identitiesOf(id)
  for await (const lines of intactLines(objectsOfParts(parts), read)) {
    const match = lastMatch(lines, { idField, identities })
    if (match) return match.line
  }
  return undefined
}
