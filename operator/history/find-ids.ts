import { identify } from '../../stored/chain/record.ts'
import { incrementPartsOf, ownWithheldParts } from '../../stored/changes/chain-facts.ts'
import type { ChangePart } from '../../stored/changes/changes.ts'
import type { ManifestObject } from '../snapshot/checked-objects.ts'
import { intactLines, objectsOfPages, objectsOfParts } from '../snapshot/checked-objects.ts'
import { documentsWith, type FieldCondition, type ObjectLines } from './condition.ts'
import type { HistoryContext } from './document-states.ts'

export interface MatchingIds {
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
  { condition, max }: { readonly condition: FieldCondition; readonly max: number },
): Promise<MatchingIds> {
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
async function* storedLines(
  { readSnapshots, changes, read }: HistoryContext,
  entity: string,
): AsyncGenerator<Lines> {
  async function* linesOf(
    objects: readonly ManifestObject[],
    more: Pick<Lines, 'holds' | 'idField'>,
  ): AsyncGenerator<Lines> {
    for await (const lines of intactLines(objects, read)) yield { ...more, lines }
  }
  const manifests = await readSnapshots(entity)
  for (const { pages, idField } of manifests)
    yield* linesOf(objectsOfPages(pages), { holds: 'documents', idField })
  const chain = (await changes.readLatest(entity))?.value
  if (!chain) return
  // The chain does not list the sets before a reset, nor many increments.
  const unlisted = manifests.map(({ runId }) => runId).toReversed()
  const listed = chain.sets.map(({ runId }) => runId)
  const known = new Set<string>()
  const unread = (parts: readonly ChangePart[]) =>
    objectsOfParts(parts.filter(({ key }) => known.size < known.add(key).size))
  for (const runId of new Set([...unlisted, ...listed, chain.tip])) {
    const set = (await changes.readManifest(entity, runId))?.value
    if (!set) continue
    const isWhole = runId === chain.tip && !chain.erased
    const { idField } = set
    // Erasure takes the records of the tip before its state.
    const parts = runId === chain.tip && !listed.includes(runId) ? [] : set.parts
    const records = isWhole ? [...incrementPartsOf(set), ...parts] : parts
    const withheld = isWhole ? set.withheldParts : ownWithheldParts(set)
    yield* linesOf(unread(records), { holds: 'records', idField })
    yield* linesOf(unread(withheld), { holds: 'documents', idField })
  }
}
