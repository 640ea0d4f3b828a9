import { createHash } from 'node:crypto'
import type { ObjectVersion } from '../../functions/state/object-versions.aws.ts'
import type { openObjects } from '../../functions/state/objects.aws.ts'
import {
  absentIfUnreadable,
  parseObject,
  type UnreadableObject,
} from '../../functions/state/unreadable-object.ts'
import type { StoredVersions } from '../aws/stored-versions.aws.ts'
import { isAccessDenied } from '../errors.ts'
import type { ManifestObject, Repair } from './checked-objects.ts'

export interface RepairContext {
  readonly versions: Pick<StoredVersions, 'listVersions' | 'read'>
  readonly objects: Pick<ReturnType<typeof openObjects>, 'replaceGzip' | 'putIf' | 'readText'>
}

/** Makes the newest version with the SHA-256 of the manifest the current one, if that is wanted and none is. */
export async function repairObject(
  { versions, objects }: RepairContext,
  object: ManifestObject,
  isWanted: boolean,
): Promise<Repair> {
  const intact = await findIntact(versions, object).catch((error: unknown) => {
    if (!isWanted && isAccessDenied(error)) return 'denied' as const
    throw error
  })
  if (intact === 'denied') return 'unknown'
  if (!intact) return 'impossible'
  if (intact.isLatest) return 'unneeded'
  if (!isWanted) return 'possible'
  await objects.replaceGzip(object.key, intact.body, Buffer.from(object.sha256, 'hex'))
  return 'restored'
}

async function findIntact(
  versions: RepairContext['versions'],
  { key, sha256 }: ManifestObject,
): Promise<StoredBody | undefined> {
  for await (const stored of newestFirst(versions, key))
    if (createHash('sha256').update(stored.body).digest('hex') === sha256) return stored
  return undefined
}

/** The versions of an object that can be read, newest first. */
export async function* readableVersions(
  versions: RepairContext['versions'],
  { key, members }: Pick<UnreadableObject, 'key' | 'members'>,
): AsyncGenerator<object> {
  for await (const { body } of newestFirst(versions, key)) {
    const value = readable(body.toString(), { key, members })
    if (value) yield value
  }
}

/** Undefined if it cannot be read. */
export function readable(
  text: string,
  { key, members }: Pick<UnreadableObject, 'key' | 'members'>,
): object | undefined {
  try {
    return parseObject(text, key, members)
  } catch (error) {
    return absentIfUnreadable(error)
  }
}

interface StoredBody {
  readonly body: Buffer
  readonly isLatest: boolean
}

/** The current version first. Others may have been written in the same second. */
async function* newestFirst(versions: RepairContext['versions'], key: string): AsyncGenerator<StoredBody> {
  const all: ObjectVersion[] = []
  for await (const page of versions.listVersions(key)) all.push(...page.filter((one) => one.key === key))
  const age = ({ isLatest, writtenAt }: ObjectVersion) => (isLatest ? Number.NEGATIVE_INFINITY : -writtenAt)
  for (const version of all.toSorted((one, other) => age(one) - age(other))) {
    const body = await versions.read(version)
    if (body) yield { body, isLatest: version.isLatest }
  }
}
