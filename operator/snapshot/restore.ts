import { createHash } from 'node:crypto'
import type { ObjectVersion } from '../../functions/state/object-versions.aws.ts'
import type { openObjects } from '../../functions/state/objects.aws.ts'
import type { StoredVersions } from '../aws/stored-versions.aws.ts'
import { isAccessDenied } from '../errors.ts'
import type { ManifestObject, Repair } from './checked-objects.ts'

export interface RepairContext {
  readonly versions: Pick<StoredVersions, 'listVersions' | 'read'>
  readonly objects: Pick<ReturnType<typeof openObjects>, 'putGzip'>
}

/** Makes the newest version with the SHA-256 of the manifest the current one, if that is wanted. */
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
  if (!isWanted) return 'possible'
  await objects.putGzip(object.key, intact, Buffer.from(object.sha256, 'hex'))
  return 'restored'
}

async function findIntact(
  versions: RepairContext['versions'],
  { key, sha256 }: ManifestObject,
): Promise<Buffer | undefined> {
  const all: ObjectVersion[] = []
  for await (const page of versions.listVersions(key)) all.push(...page.filter((one) => one.key === key))
  for (const version of all.toSorted((one, other) => other.writtenAt - one.writtenAt)) {
    const body = await versions.read(version)
    if (body && createHash('sha256').update(body).digest('hex') === sha256) return body
  }
  return undefined
}
