import { isDeepStrictEqual } from 'node:util'
import type { ReceivedPage } from '../../stored/pages/page.ts'
import { belongsTo, type Manifest, runPrefix } from '../../stored/snapshots/manifest.ts'
import { readAhead } from '../runtime/read-ahead.ts'
import { Damaged } from './check/damage.ts'
import type { CheckedPage, CheckedPages } from './check/entries.ts'
import {
  checkKey,
  decodeCheckedPages,
  encodeCheckedPages,
  entriesByPage,
  listedName,
} from './check/entries.ts'
import { checkPage, type ListedPage } from './check/page.ts'
import type { Checker, ListedObject } from './ports.ts'

export interface PageToCheck {
  readonly page: ListedPage
  readonly received: ReceivedPage | undefined
}

/** A stored chunk. Its entries are read again where all of them do not fit into the memory. */
export interface StoredChunk extends Pick<CheckedPages, 'pages'> {
  readonly key: string
  readonly entries: Buffer | undefined
}

const maxEntriesInMemory = 256 * 2 ** 20
/** Of each of the two snapshots that a set is between. */
const maxEntriesOfSnapshot = 64 * 2 ** 20

export class Unfinished extends Error {
  override readonly name = 'Unfinished'
  readonly pages: number

  constructor(pages: number) {
    super(`${pages} pages are checked so far.`)
    this.pages = pages
  }
}

/** `pages` are checked so far. */
export function checkTime({ now, endsAt }: Checker, pages = 0): void {
  if (now() >= endsAt) throw new Unfinished(pages)
}

/** Documents of a chunk, whose object then has 2.4 MB. */
const maxDocuments = 100_000
const maxPages = 500

/** What `read` returns for each of these, in order. */
export const readSeveral = <Item, Result>(items: readonly Item[], read: (item: Item) => Promise<Result>) =>
  readAhead(items, read, (ahead) => ahead.length < maxConcurrentReads)
const maxConcurrentReads = 8

export interface Checking {
  /** Of the run, and of its attempt or what is listed, for the keys of chunks. */
  readonly folder: string
  readonly name: string
  readonly pages: readonly PageToCheck[]
  readonly idField: string
  readonly stored: StoredObjects
}

/**
 * Checks pages, chunk by chunk. A chunk that an earlier invocation has stored counts while its pages have the size and
 * ETag that was checked. Throws `Damaged`, and `Unfinished` when the time is up.
 */
export async function checkChunks(publisher: Checker, checking: Checking): Promise<StoredChunk[]> {
  const chunks: StoredChunk[] = []
  let done = 0
  let inMemory = 0
  for (const group of groups(checking.pages)) {
    checkTime(publisher, done)
    const key = checkKey(checking.folder, checking.name, done + 1)
    const known = checking.stored.has(key) ? await readChunk(publisher, key) : undefined
    const isCurrent =
      known?.pages.length === group.length &&
      group.every(({ page }, index) => isUnchanged(known.pages[index], page, checking.stored.get(page.key)))
    const chunk = known && isCurrent ? known : await checkGroup(publisher, group, checking)
    if (chunk !== known)
      await publisher.objects.put(key, { body: encodeCheckedPages(chunk), type: 'application/octet-stream' })
    inMemory += chunk.entries.length
    chunks.push({ ...chunk, key, entries: inMemory > maxEntriesInMemory ? undefined : chunk.entries })
    done += group.length
  }
  return chunks
}

/** Checks the pages that a manifest lists. */
export const checkListed = (
  publisher: Checker,
  { entity, runId, idField, pages }: Manifest,
  stored: StoredObjects,
): Promise<StoredChunk[]> =>
  checkChunks(publisher, {
    folder: runPrefix(entity, runId),
    name: listedName,
    pages: pages.map((page) => ({ page, received: undefined })),
    idField,
    stored,
  })

/** The objects of a run as they are now, by their keys. */
export type StoredObjects = ReadonlyMap<string, ListedObject>

export const listObjects = async ({ objects }: Checker, prefix: string): Promise<StoredObjects> =>
  new Map(await Array.fromAsync(objects.list(prefix), (object) => [object.key, object] as const))

/**
 * The chunks with the entries of a snapshot, which its check has stored. Where its pages are not those that were checked, or
 * an older release published them, they are checked now. Throws `Damaged`, and `Unfinished` when the time is up.
 */
export async function snapshotChunks(
  publisher: Checker,
  manifest: Manifest,
): Promise<readonly StoredChunk[]> {
  const stored = await listObjects(publisher, runPrefix(manifest.entity, manifest.runId))
  return (await storedChunks(publisher, manifest, stored)) ?? checkListed(publisher, manifest, stored)
}

/** Undefined unless these chunks have every page, as it is now, in the order of the manifest. */
async function storedChunks(
  publisher: Checker,
  manifest: Manifest,
  stored: StoredObjects,
): Promise<readonly StoredChunk[] | undefined> {
  const placeOf = new Map(manifest.pages.map(({ key }, place) => [key, place]))
  const isOfManifest = belongsTo(manifest)
  const found: (StoredChunk & { readonly place: number })[] = []
  let inMemory = 0
  for (const key of stored.keys()) {
    const chunk = key.endsWith('.bin') && isOfManifest(key) ? await readChunk(publisher, key) : undefined
    const listed = chunk?.pages.filter(({ page }) => placeOf.has(page.key)) ?? []
    const place = placeOf.get(listed[0]?.page.key ?? '')
    if (!chunk || place === undefined) continue
    const isCurrent = (checked: CheckedPage) => {
      const page = manifest.pages[placeOf.get(checked.page.key) ?? 0]
      return page !== undefined && isUnchanged(checked, page, stored.get(page.key))
    }
    if (!listed.every(isCurrent)) return undefined
    inMemory += chunk.entries.length
    const entries = inMemory > maxEntriesOfSnapshot ? undefined : chunk.entries
    found.push({ key, pages: chunk.pages, entries, place })
  }
  const chunks = found.toSorted((one, other) => one.place - other.place)
  const checked = chunks.flatMap(({ pages }) => pages.map(({ page }) => page.key))
  const keys = checked.filter((key) => placeOf.has(key))
  const isWhole = isDeepStrictEqual(keys, [...placeOf.keys()])
  return isWhole ? chunks : undefined
}

/** Whether a page's object is the one that was checked. */
const isUnchanged = (
  checked: CheckedPage | undefined,
  page: ListedPage,
  stored: ListedObject | undefined,
): boolean =>
  checked?.page.key === page.key &&
  checked.page.sha256 === page.sha256 &&
  stored?.etag === checked.etag &&
  stored.bytes === page.bytes

function* groups(pages: readonly PageToCheck[]): Generator<readonly PageToCheck[]> {
  let group: PageToCheck[] = []
  let documents = 0
  for (const page of pages) {
    group.push(page)
    documents += page.page.documents
    if (documents < maxDocuments && group.length < maxPages) continue
    yield group
    group = []
    documents = 0
  }
  if (group.length > 0) yield group
}

async function checkGroup(
  { objects }: Checker,
  group: readonly PageToCheck[],
  { idField }: Checking,
): Promise<CheckedPages> {
  const pages: CheckedPage[] = []
  const entries: Buffer[] = []
  const read = async (one: PageToCheck) => ({ ...one, object: await objects.read(one.page.key) })
  for (const next of readSeveral(group, read)) {
    const { page, received, object } = await next
    const lines = checkPage(object?.bytes, { page, idField, received })
    pages.push({ page, etag: object?.etag ?? '', withoutId: lines.withoutId })
    entries.push(lines.entries)
  }
  return { pages, entries: Buffer.concat(entries) }
}

/** Undefined if it is not a chunk of this form. */
async function readChunk({ objects }: Checker, key: string): Promise<CheckedPages | undefined> {
  const bytes = (await objects.read(key))?.bytes
  return bytes && decodeCheckedPages(bytes)
}

/** The pages of chunks with their entries, in order. */
export async function* pagesOf(publisher: Checker, chunks: readonly StoredChunk[]) {
  for (const { key, pages, entries: inMemory } of chunks) {
    const entries = inMemory ?? (await readChunk(publisher, key))?.entries
    if (!entries) throw new Damaged(`The object ${key} was changed while its pages were counted.`)
    yield* entriesByPage({ pages, entries })
  }
}
