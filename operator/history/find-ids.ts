import { identify } from '../../functions/chain/record.ts'
import { ownWithheldParts, type SetManifest } from '../../functions/state/changes/changes.ts'
import { type ManifestObject, objectsOfPages, objectsOfParts } from '../snapshot/checked-objects.ts'
import { intactLines } from '../snapshot/intact-lines.ts'
import type { Condition } from './condition.ts'
import type { HistoryContext } from './document-states.ts'
import { documentsWith, type ObjectLines } from './documents-with.ts'

export interface FoundIds {
  /** As the command line takes them, in the order in which they were found. */
  readonly ids: readonly string[]
  /** False if there are more. */
  readonly isComplete: boolean
}

/**
 * The ids of the documents whose field has, or had, a value in a kept snapshot or change set. Documents without an id
 * have no history. Throws `DamagedData`.
 */
export async function findIds(
  context: HistoryContext,
  entity: string,
  { condition, max }: { readonly condition: Condition; readonly max: number },
): Promise<FoundIds> {
  const ids = new Set<string>()
  for await (const { idField, ...stored } of storedLines(context, entity))
    for (const document of documentsWith(stored, condition)) {
      const { id, identity } = identify(document, Buffer.from(idField))
      if (typeof identity !== 'string') continue
      const value: unknown = JSON.parse(Buffer.from(id).toString())
      ids.add(typeof value === 'string' ? value : Buffer.from(id).toString())
      if (ids.size > max) return { ids: [...ids].slice(0, max), isComplete: false }
    }
  return { ids: [...ids], isComplete: true }
}

type Lines = ObjectLines & { readonly idField: string }

/** Everything that is kept: snapshots, newest first, then change sets. */
async function* storedLines({ kept, changes, read }: HistoryContext, entity: string): AsyncGenerator<Lines> {
  async function* linesOf(
    objects: readonly ManifestObject[],
    more: Pick<Lines, 'holds' | 'idField'>,
  ): AsyncGenerator<Lines> {
    for await (const lines of intactLines(objects, read)) yield { ...more, lines }
  }
  for (const { pages, idField } of await kept.list(entity))
    yield* linesOf(objectsOfPages(pages), { holds: 'documents', idField })
  const chain = await changes.readLatest(entity)
  for (const { runId } of chain?.value.sets ?? []) {
    const set: SetManifest | undefined = (await changes.readManifest(entity, runId))?.value
    if (!set) continue
    const { parts, idField } = set
    yield* linesOf(objectsOfParts(parts), { holds: 'records', idField })
    yield* linesOf(objectsOfParts(ownWithheldParts(set)), { holds: 'documents', idField })
  }
}
