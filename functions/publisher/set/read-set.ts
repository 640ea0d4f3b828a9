import { hash } from 'node:crypto'
import type { SetManifest } from '../../state/changes/changes.ts'
import type { Publisher } from '../ports.ts'
import { parseManifest } from '../read-manifest.ts'

/** The manifest of a set with the SHA-256 (hex) of its object; undefined if there is none. Throws `Unreadable`. */
export async function readSet({ objects }: Pick<Publisher, 'objects'>, key: string) {
  const stored = await objects.read(key)
  if (!stored) return undefined
  const manifest = parseManifest(stored.bytes, key) as unknown as SetManifest
  return { manifest, sha256: hash('sha256', stored.bytes) }
}
