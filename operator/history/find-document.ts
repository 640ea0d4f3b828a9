import { fingerprintBytes, writeFingerprint } from '../../functions/documents/fingerprint.ts'
import { StoredLines } from '../../functions/documents/stored-lines.ts'
import { attemptOfPageKey, type Manifest } from '../../functions/state/snapshots/manifest.ts'
import type { StateStore } from '../../functions/state/sync-state.ts'
import type { ReadObject } from '../aws/objects.aws.ts'
import { objectsOfPages } from '../snapshot/checked-objects.ts'
import { intactLines } from '../snapshot/intact-lines.ts'

/** A position in a snapshot. Pages count from 1, lines from 0. */
export interface PagePosition {
  readonly page: number
  readonly line: number
}

export interface FindContext {
  readonly state: Pick<StateStore, 'pages'>
  readonly read: ReadObject
}

export interface FoundDocument {
  readonly position: PagePosition
  readonly line: Buffer
}

/** The identities that a typed id may have: a string, or a number as it is written. */
export function identitiesOf(id: string): string[] {
  return [...new Set([JSON.stringify(id), id])]
}

/** A document of a snapshot by its id. Of several with this id, the last one counts. */
export async function findDocument(
  context: FindContext,
  manifest: Manifest,
  id: string,
): Promise<FoundDocument | undefined> {
  const identities = identitiesOf(id)
  const candidates = await pagesWith(context.state, manifest, identities)
  const numbers = manifest.pages.map((_, index) => index).filter((index) => candidates?.has(index) ?? true)
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
 * The indexes of the pages whose committed fingerprints contain one of these identities. Undefined if the items of a
 * page have expired, after 30 days: then every page must be read.
 */
async function pagesWith(
  state: FindContext['state'],
  { runId, pages }: Manifest,
  identities: readonly string[],
): Promise<Set<number> | undefined> {
  const wanted = identities.map(fingerprintOf)
  const indexes = new Map(pages.map(({ key }, index) => [key, index]))
  const attempts = new Map<string, Parameters<StateStore['pages']>[0]>()
  for (const { key } of pages) {
    const named = attemptOfPageKey(key)
    if (!named) return undefined
    const { range, attempt } = named
    attempts.set(`${range}#${attempt}`, { runId, attempt, ...(range && { range: Number(range.slice(1)) }) })
  }
  const candidates = new Set<number>()
  let seen = 0
  for (const attempt of attempts.values()) {
    for await (const { key, fingerprints } of state.pages(attempt)) {
      const index = indexes.get(key)
      if (index === undefined) continue
      seen++
      if (wanted.some((fingerprint) => includesFingerprint(fingerprints, fingerprint))) candidates.add(index)
    }
  }
  return seen === pages.length ? candidates : undefined
}

function fingerprintOf(identity: string): Buffer {
  const fingerprint = Buffer.alloc(fingerprintBytes)
  writeFingerprint(identity, fingerprint, 0)
  return fingerprint
}

function includesFingerprint(all: Buffer, wanted: Buffer): boolean {
  for (let at = all.indexOf(wanted); at >= 0; at = all.indexOf(wanted, at + 1)) {
    if (at % fingerprintBytes === 0) return true
  }
  return false
}

/** The last line with one of these identities. */
export function lastMatch(
  text: Buffer,
  { idField, identities }: { idField: string; identities: readonly string[] },
): { readonly index: number; readonly line: Buffer } | undefined {
  const lines = new StoredLines(text, Buffer.from(idField))
  let match: { index: number; line: Buffer } | undefined
  for (let index = 0; lines.next(); index++) {
    // Without an id, it is not a string.
    const identity = lines.identity()
    if (identities.some((one) => one === identity)) {
      match = { index, line: text.subarray(lines.start, lines.end) }
    }
  }
  return match
}
