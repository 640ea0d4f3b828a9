import { hash } from 'node:crypto'
import type { ObjectVersion } from '../../stored/object-versions.aws.ts'
import type { openObjects } from '../../stored/objects.aws.ts'
import type { StoredVersions } from '../aws/stored-versions.aws.ts'
import { isAccessDenied } from '../errors.ts'
import type { Damage } from './examination.ts'

export interface RepairContext {
  readonly versions: Pick<StoredVersions, 'listVersions' | 'read'>
  readonly objects: Pick<ReturnType<typeof openObjects>, 'read' | 'replaceGzip' | 'putBytes' | 'putIf'>
}

/**
 * Whether a version of a damaged or missing object is intact; `unknown` without permission to look, and `unneeded` if the
 * current one is what its name or a manifest says.
 */
export type Repair = 'restored' | 'possible' | 'impossible' | 'unknown' | 'unneeded'

/** Makes the newest version that is intact the current one, if that is wanted and none is. Undefined if no version can help. */
export async function repairObject(
  context: RepairContext,
  damage: Damage,
  isWanted: boolean,
): Promise<Repair | undefined> {
  const { key, isIntact, otherwise } = damage
  if (!isIntact) return undefined
  const intact = await findIntact(context.versions, key, isIntact).catch((error: unknown) => {
    if (!isWanted && isAccessDenied(error)) return 'denied' as const
    throw error
  })
  if (intact === 'denied') return 'unknown'
  if (intact?.isLatest) return 'unneeded'
  const body = intact?.body ?? (otherwise === undefined ? undefined : Buffer.from(otherwise))
  if (!body) return 'impossible'
  if (!isWanted) return 'possible'
  return (await restore(context, key, body)) ? 'restored' : 'possible'
}

/** False for a JSON or text object that somebody has replaced since it was read: what they wrote stays. */
async function restore({ objects }: RepairContext, key: string, body: Buffer): Promise<boolean> {
  if (key.endsWith('.json') || key.endsWith('.txt')) {
    const type = key.endsWith('.json') ? 'application/json' : 'text/plain'
    const content = { text: body.toString(), type, cacheControl: 'no-cache' } as const
    return objects.putIf(key, (await objects.read(key)) ?? 'absent', content)
  }
  if (key.endsWith('.gz')) await objects.replaceGzip(key, body, hash('sha256', body, 'buffer'))
  else await objects.putBytes(key, body)
  return true
}

/** The current version first. Others may have been written in the same second. */
async function findIntact(
  versions: RepairContext['versions'],
  key: string,
  isIntact: (bytes: Buffer) => Promise<boolean>,
): Promise<{ readonly body: Buffer; readonly isLatest: boolean } | undefined> {
  const all: ObjectVersion[] = []
  for await (const page of versions.listVersions(key)) all.push(...page.filter((one) => one.key === key))
  const age = ({ isLatest, writtenAt }: ObjectVersion) => (isLatest ? Number.NEGATIVE_INFINITY : -writtenAt)
  for (const version of all.toSorted((one, other) => age(one) - age(other))) {
    const body = await versions.read(version)
    if (body && (await isIntact(body))) return { body, isLatest: version.isLatest }
  }
  return undefined
}
