import { hash } from 'node:crypto'
import type { NamedObject } from './snapshots/manifest.ts'

/** Whether the body of an object has the size and the SHA-256 that what names it has of it. */
export const isIntact = (named: Pick<NamedObject, 'bytes' | 'sha256'>, body: Uint8Array): boolean =>
  body.length === named.bytes && hash('sha256', body) === named.sha256
