import { createHash } from 'node:crypto'
import { PageLines } from '../../stored/documents/stored-lines.ts'
import type { EntrySource } from '../../stored/snapshots/checked-entries.ts'
import { checkedEntries, entryBytes, idHashBytes } from '../../stored/snapshots/checked-entries.ts'
import type { Manifest } from '../../stored/snapshots/manifest.ts'
import type { ReadObject } from '../aws/objects.aws.ts'
import { intactLines, objectsOfPages } from '../snapshot/checked-objects.ts'

/** A position in a snapshot. Pages count from 1, lines from 0. */
export interface PagePosition {
  readonly page: number
  readonly line: number
}

/** Where snapshots are stored. */
export interface FindContext extends Pick<EntrySource, 'listObjects'> {
  readonly read: ReadObject
}

/** What the publisher has counted. What is damaged of it is left out, so that pages are read instead. */
export const entriesOf = ({ read, listObjects }: FindContext, manifest: Manifest) =>
  checkedEntries({ listObjects, readObject: read, damaged: () => undefined }, manifest)

export interface FoundDocument {
  readonly position: PagePosition
  readonly line: Buffer
}

/** The identities that a typed id may have: a string, or a number as it is written. */
export const identitiesOf = (id: string): string[] => [...new Set([JSON.stringify(id), id])]

/** A document of a snapshot by its id. Of several with this id, the last one counts. */
export async function findDocument(
  context: FindContext,
  manifest: Manifest,
  id: string,
): Promise<FoundDocument | undefined> {
  const identities = identitiesOf(id)
  const numbers = await pagesWith(context, manifest, identities)
  const objects = objectsOfPages(numbers.flatMap((index) => manifest.pages[index] ?? []))
  let found: FoundDocument | undefined
  let at = 0
  for await (const lines of intactLines(objects, context.read)) {
    const page = (numbers[at++] ?? 0) + 1
    const match = lastMatch(lines, { idField: manifest.idField, identities })
    if (match) found = { position: { page, line: match.index }, line: match.line }
  }
  return found
}

/**
 * The indexes of the pages that may have one of these identities: all but those whose stored entries have none. The
 * publisher has stored no entries of older snapshots.
 */
async function pagesWith(
  context: FindContext,
  manifest: Manifest,
  identities: readonly string[],
): Promise<number[]> {
  const wanted = identities.map((identity) => createHash('sha256').update(identity).digest())
  const without = new Set<number>()
  for await (const { index, entries } of entriesOf(context, manifest))
    if (!wanted.some((hash) => includesId(entries, hash))) without.add(index)
  return [...manifest.pages.keys()].filter((index) => !without.has(index))
}

function includesId(entries: Buffer, hash: Buffer): boolean {
  const wanted = hash.subarray(0, idHashBytes)
  for (let at = entries.indexOf(wanted); at >= 0; at = entries.indexOf(wanted, at + 1)) {
    if (at % entryBytes === 0) return true
  }
  return false
}

/** The last line with one of these identities. */
export function lastMatch(
  text: Buffer,
  { idField, identities }: { idField: string; identities: readonly string[] },
): { readonly index: number; readonly line: Buffer } | undefined {
  const lines = new PageLines(text, Buffer.from(idField))
  let match: { index: number; line: Buffer } | undefined
  for (let index = 0; lines.next(); index++) {
    // Without an id, it is not a string.
    const identity = lines.identity()
    if (identities.some((one) => one === identity))
      match = { index, line: text.subarray(lines.start, lines.end) }
  }
  return match
}
