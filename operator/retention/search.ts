import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { mapPooled } from '../../functions/runtime/map-pooled.ts'
import { decodeVersions } from '../../stored/chain/delivered-versions.ts'
import { partKindOf } from '../../stored/changes/change-keys.ts'
import type { ObjectVersion } from '../../stored/object-versions.aws.ts'
import { icebergPrefix } from '../../stored/tables/table.ts'
import type { StoredVersions } from '../aws/stored-versions.aws.ts'
import type { ObjectLines } from '../history/condition.ts'
import { splitLines } from '../snapshot/lines.ts'
import type { Person } from './person.ts'

/** What an object may contain of a document, by its key. */
type Content = ObjectLines['holds'] | 'delivered' | 'reviewed' | 'unknown'

/** Undefined of an object that is not read: it has no documents, or belongs to a table, which has those of a snapshot. */
function contentOf(key: string): Content | undefined {
  if (!key.endsWith('.gz') || key.startsWith(icebergPrefix)) return undefined
  if (!key.startsWith('changes/')) return 'documents'
  const kind = partKindOf(key)
  if (kind === 'withheld') return 'documents'
  return kind === 'records' || kind === 'compacted' ? 'records' : (kind ?? 'unknown')
}

/** What is looked for in an object. Both throw if the lines are malformed. */
export interface Look {
  readonly atLines: (stored: ObjectLines, version: ObjectVersion) => boolean
  /** Id hashes, in Latin-1. */
  readonly atHashes: (hashes: Iterable<string>) => boolean
}

export interface SearchContext {
  readonly versions: Pick<StoredVersions, 'read'>
  readonly checkTime: () => void
  readonly onProgress: (done: number, total: number) => void
}

export interface Searched {
  /** How many versions of objects were read, and their size. */
  readonly versions: number
  readonly bytes: number
  readonly found: readonly ObjectVersion[]
  /** Versions whose content cannot be read: nobody knows what they contain. */
  readonly unreadable: readonly ObjectVersion[]
}

/** Both together. */
export const added = (one: Searched, other: Searched): Searched => ({
  versions: one.versions + other.versions,
  bytes: one.bytes + other.bytes,
  found: [...one.found, ...other.found],
  unreadable: [...one.unreadable, ...other.unreadable],
})

/** Several objects are read at the same time. Each has a few MB. */
const maxConcurrentReads = 8

/** Reads every version that may contain documents. */
export async function searchVersions(
  { versions, checkTime, onProgress }: SearchContext,
  all: readonly ObjectVersion[],
  look: Look,
): Promise<Searched> {
  const readable = all.filter(({ key }) => contentOf(key) !== undefined)
  const found: ObjectVersion[] = []
  const unreadable: ObjectVersion[] = []
  let bytes = 0
  let done = 0
  await mapPooled(readable, maxConcurrentReads, async (version) => {
    checkTime()
    const body = await versions.read(version)
    onProgress(++done, readable.length)
    // Something else has deleted it meanwhile.
    if (!body) return
    bytes += body.length
    const result = await lookAt(version, body, look)
    if (result === 'unreadable') unreadable.push(version)
    else if (result) found.push(version)
  })
  return { versions: done, bytes, found, unreadable }
}

async function lookAt(version: ObjectVersion, body: Buffer, look: Look): Promise<boolean | 'unreadable'> {
  const content = contentOf(version.key) ?? 'unknown'
  if (content === 'unknown') return 'unreadable'
  try {
    const lines = await promisify(gunzip)(body)
    if (content === 'delivered') return look.atHashes(decodeVersions(lines).keys())
    if (content === 'reviewed') return look.atHashes([...splitLines(lines)].map(hashOfReviewed))
    return look.atLines({ holds: content, lines }, version)
  } catch {
    return 'unreadable'
  }
}

/** The id hash of a line of stored/chain/reviewed-ids.ts. */
const hashOfReviewed = (line: Buffer) => Buffer.from(line.toString('latin1'), 'hex').toString('latin1')

/** Whether the person is among these ids. */
export const hasHash =
  ({ hashes: wanted }: Person) =>
  (hashes: Iterable<string>): boolean => {
    for (const hash of hashes) if (wanted.has(hash)) return true
    return false
  }
