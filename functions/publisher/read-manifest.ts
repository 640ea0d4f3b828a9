import { checkedManifestKey, type Latest, latestKey, type Manifest } from '../../stored/snapshots/manifest.ts'
import { manifestVersion, UnknownManifestVersion } from '../../stored/unknown-version.ts'
import { parseObject } from '../../stored/unreadable-object.ts'
import type { Publisher } from './ports.ts'

/** Undefined if there is none. Throws `Unreadable`. */
export async function readManifest(
  { objects }: Pick<Publisher, 'objects'>,
  key: string,
): Promise<Manifest | undefined> {
  const stored = await objects.read(key)
  return stored && parseManifest(stored.bytes, key)
}

/** Throws `Unreadable`. */
export function parseManifest<M extends { readonly version: number } = Manifest>(
  bytes: Buffer,
  key: string,
): M {
  const manifest = parseObject(bytes.toString(), key, ['version']) as M
  if (manifest.version !== manifestVersion) throw new UnknownManifestVersion(key, manifest.version)
  return manifest
}

/** A run that was checked: the manifest that it would have, and the ETag of each of its pages. */
export interface CheckedRun {
  readonly manifest: Manifest
  readonly etags: readonly string[]
}

export async function readCheckedRun(
  { objects }: Pick<Publisher, 'objects'>,
  entity: string,
  runId: string,
): Promise<CheckedRun | undefined> {
  const key = checkedManifestKey(entity, runId)
  const stored = await objects.read(key)
  return stored && (parseObject(stored.bytes.toString(), key, ['manifest', 'etags']) as CheckedRun)
}

export interface PublishedSnapshot {
  readonly latest: Latest
  readonly etag: string
}

/** What `latest.json` has; undefined before the first publication. */
export async function readLatest(
  { objects }: Pick<Publisher, 'objects'>,
  entity: string,
): Promise<PublishedSnapshot | undefined> {
  const key = latestKey(entity)
  const stored = await objects.read(key)
  if (!stored) return undefined
  const members = ['runId', 'manifest', 'publishedAt', 'documents']
  return { latest: parseObject(stored.bytes.toString(), key, members) as Latest, etag: stored.etag }
}

/** The published snapshot with the counts of its manifest. */
export interface Published extends PublishedSnapshot {
  /** Undefined if somebody has deleted it. */
  readonly stored: Manifest | undefined
  /** Without a manifest, `latest.json` has the number of documents. */
  readonly manifest: Pick<Manifest, 'documents' | 'uniqueIds' | 'withoutId'>
}

export async function readPublished(
  publisher: Pick<Publisher, 'objects'>,
  entity: string,
): Promise<Published | undefined> {
  const published = await readLatest(publisher, entity)
  if (!published) return undefined
  const { documents } = published.latest
  const stored = await readManifest(publisher, published.latest.manifest)
  return { ...published, stored, manifest: stored ?? { documents, uniqueIds: documents } }
}
