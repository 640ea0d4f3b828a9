import { hash } from 'node:crypto'
import { changesLatestKey } from '../../stored/changes/change-keys.ts'
import type { SetManifest } from '../../stored/changes/changes.ts'
import type { ChangesLatest } from '../../stored/changes/changes-latest.ts'
import { parseObject } from '../../stored/unreadable-object.ts'
import type { Checker, Content } from './ports.ts'
import { parseManifest } from './read-manifest.ts'

type Reading = Pick<Checker, 'objects'>

/** The content of a JSON object, the ETag that a conditional write names, and the SHA-256 (hex). */
interface Stored<T> {
  readonly value: T
  readonly etag: string
  readonly sha256: string
}

/** Undefined before the first set. Throws `Unreadable`. */
export async function readChain({ objects }: Reading, entity: string) {
  const key = changesLatestKey(entity)
  const found = await objects.read(key)
  const parsed = found && parseObject(found.bytes.toString(), key, ['tip', 'sets'])
  return found && { value: parsed as ChangesLatest, etag: found.etag }
}

/** The manifest of a set, or another object of that form. Throws `Unreadable`. */
export async function readSet<Set extends { readonly version: number } = SetManifest>(
  { objects }: Reading,
  key: string,
): Promise<Stored<Set> | undefined> {
  const found = await objects.read(key)
  if (!found) return undefined
  const { bytes, etag } = found
  return { value: parseManifest<Set>(bytes, key), etag, sha256: hash('sha256', bytes) }
}

/** JSON that is read as it is now: it may be replaced. */
export const jsonContent = (value: object): Content => ({
  body: JSON.stringify(value, null, 1),
  type: 'application/json',
  cacheControl: 'no-cache',
})
