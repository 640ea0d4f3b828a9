import { hash } from 'node:crypto'
import { changesLatestKey } from '../../stored/changes/change-keys.ts'
import type { ChangesLatest } from '../../stored/changes/changes-latest.ts'
import { checkedManifestKey, type Latest, latestKey, type Manifest } from '../../stored/snapshots/manifest.ts'
import { manifestVersion, UnknownManifestVersion } from '../../stored/unknown-version.ts'
import { parseObject } from '../../stored/unreadable-object.ts'
import type { Checker, Content } from './ports.ts'

type Reading = Pick<Checker, 'objects'>

/** The content of a JSON object, the ETag that a conditional write names, and the SHA-256 (hex). */
export interface Stored<T> {
  readonly value: T
  readonly etag: string
  readonly sha256: string
}

/** Undefined if there is none. Throws `Unreadable`. */
async function readObject<T extends object>(
  { objects }: Reading,
  key: string,
  members: readonly (string & keyof T)[],
): Promise<Stored<T> | undefined> {
  const found = await objects.read(key)
  if (!found) return undefined
  const { bytes, etag } = found
  return { value: parseObject(bytes.toString(), key, members) as T, etag, sha256: hash('sha256', bytes) }
}

/** The manifest of a snapshot or a set, or another object with its version. */
export async function readVersioned<M extends { readonly version: number }>(
  reading: Reading,
  key: string,
): Promise<Stored<M> | undefined> {
  const stored = await readObject<M>(reading, key, ['version'])
  if (stored && stored.value.version !== manifestVersion)
    throw new UnknownManifestVersion(key, stored.value.version)
  return stored
}

/** The manifest of a snapshot. */
export const readManifest = async (reading: Reading, key: string) =>
  (await readVersioned<Manifest>(reading, key))?.value

/** Undefined before the first set. */
export const readChain = (reading: Reading, entity: string) =>
  readObject<ChangesLatest>(reading, changesLatestKey(entity), ['tip', 'sets'])

/** Undefined before the first publication. */
export const readLatest = (reading: Reading, entity: string) =>
  readObject<Latest>(reading, latestKey(entity), ['runId', 'manifest', 'publishedAt', 'documents'])

/** A run that was checked: the manifest that it would have, and the ETag of each of its pages. */
export interface CheckedRun {
  readonly manifest: Manifest
  readonly etags: readonly string[]
}

export const readCheckedRun = (reading: Reading, entity: string, runId: string) =>
  readObject<CheckedRun>(reading, checkedManifestKey(entity, runId), ['manifest', 'etags'])

/** The published snapshot with the counts of its manifest. */
export interface Published {
  readonly latest: Latest
  /** Undefined if somebody has deleted it. */
  readonly stored: Manifest | undefined
  /** Without a manifest, `latest.json` has the number of documents. */
  readonly manifest: Pick<Manifest, 'documents' | 'uniqueIds' | 'withoutId'>
}

export async function readPublished(reading: Reading, entity: string): Promise<Published | undefined> {
  const latest = (await readLatest(reading, entity))?.value
  if (!latest) return undefined
  const { documents } = latest
  const stored = await readManifest(reading, latest.manifest)
  return { latest, stored, manifest: stored ?? { documents, uniqueIds: documents } }
}

/** JSON that is read as it is now: it may be replaced. */
export const jsonContent = (value: object): Content => ({
  body: JSON.stringify(value, null, 1),
  type: 'application/json',
  cacheControl: 'no-cache',
})
