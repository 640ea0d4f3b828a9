import { hash } from 'node:crypto'
import { Damaged } from '../../functions/publisher/check/damage.ts'
import { readAhead } from '../../functions/runtime/read-ahead.ts'
import { manifestVersion, UnknownManifestVersion } from '../../stored/unknown-version.ts'
import { isUnreadable, parseObject, UnreadableObject } from '../../stored/unreadable-object.ts'
import type { ReadObject } from '../aws/objects.aws.ts'

/** What does not need the published snapshot, but what does not match. */
export type NeededBy = 'change-sets' | 'other-snapshots' | 'table'

/** An object, and what must be true of it. `check` throws `Damaged` if it is not; undefined is an object that is missing. */
export interface ExpectedObject<T> {
  readonly key: string
  /** If something that was checked names it, in hex. */
  readonly sha256?: string | undefined
  readonly check: (bytes: Buffer | undefined) => T | Promise<T>
  readonly neededBy?: NeededBy | undefined
  /** What it can be made of if no version is what it must be. */
  readonly otherwise?: string
}

/** An object that is not what it must be. */
export interface Damage extends Pick<ExpectedObject<unknown>, 'key' | 'neededBy' | 'otherwise'> {
  readonly problem: string
  /** If it cannot even be read. */
  readonly unreadable?: UnreadableObject
  /** Whether another version of the object is what it must be; undefined if no version can help. */
  readonly isIntact: ((bytes: Buffer) => Promise<boolean>) | undefined
}

const maxConcurrentReads = 8

/** Reads objects and checks them. What is damaged is collected, so that one object does not hide another. */
export class Examination {
  readonly damages: Damage[] = []
  readonly read: ReadObject

  constructor(read: ReadObject) {
    this.read = read
  }

  /** What `check` makes of the object; undefined if it is damaged or missing. */
  async object<T>(expected: ExpectedObject<T>): Promise<T | undefined> {
    return this.#checked(expected, await this.read(expected.key))
  }

  /** The same of several objects in order, which are read ahead. */
  async *objects<T>(list: readonly ExpectedObject<T>[]): AsyncGenerator<T | undefined> {
    const read = async (expected: ExpectedObject<T>) => ({ expected, bytes: await this.read(expected.key) })
    for (const next of readAhead(list, read, (ahead) => ahead.length < maxConcurrentReads)) {
      const { expected, bytes } = await next
      yield await this.#checked(expected, bytes)
    }
  }

  /** Of what is wrong with an object whatever version of it is the current one. */
  wrong(damage: Pick<Damage, 'key' | 'problem' | 'neededBy'>): void {
    this.damages.push({ ...damage, isIntact: undefined })
  }

  async #checked<T>(expected: ExpectedObject<T>, bytes: Buffer | undefined): Promise<T | undefined> {
    const outcome = await checkOutcome(expected, bytes)
    if ('value' in outcome) return outcome.value
    const { key, sha256, neededBy, otherwise } = expected
    const isIntact = async (version: Buffer) =>
      sha256 === undefined
        ? 'value' in (await checkOutcome(expected, version))
        : hash('sha256', version) === sha256
    this.damages.push({ key, ...outcome, neededBy, isIntact, ...(otherwise !== undefined && { otherwise }) })
    return undefined
  }
}

/** What the check of an object returns, or what is wrong with it. */
export async function checkOutcome<T>(
  { key, check, sha256 }: ExpectedObject<T>,
  bytes: Buffer | undefined,
): Promise<{ readonly value: T } | Pick<Damage, 'problem' | 'unreadable'>> {
  try {
    const value = await check(bytes)
    if (sha256 === undefined || !bytes) return { value }
    const found = hash('sha256', bytes)
    return found === sha256 ? { value } : { problem: `has the SHA-256 ${found}; it should have ${sha256}` }
  } catch (error) {
    return { problem: problemOf(key, error), ...(error instanceof UnreadableObject && { unreadable: error }) }
  }
}

/** What is wrong with an object, after its key. Throws every other error. */
function problemOf(key: string, error: unknown): string {
  if (error instanceof UnreadableObject) return withoutKey(key, error.problem)
  if (error instanceof Damaged || isUnreadable(error)) return withoutKey(key, error.message)
  throw error
}

/** A problem is shown after the key of its object. */
const withoutKey = (key: string, message: string) =>
  (message.split(`${key} `)[1] ?? message).replaceAll(/^as stored |\.$/g, '')

/** The bytes of an object that must exist. Throws `Damaged`. */
export function existing(bytes: Buffer | undefined): Buffer {
  if (!bytes) throw new Damaged('does not exist')
  return bytes
}

/** The JSON of an object that must have these members. Throws `Damaged` and `UnreadableObject`. */
export const jsonIn = <T>(
  bytes: Buffer | undefined,
  key: string,
  members: readonly (keyof T & string)[],
): T => parseObject(existing(bytes).toString(), key, members) as T

/** A manifest of the version that this release reads. */
export function manifestIn<T extends { readonly version: number }>(
  bytes: Buffer | undefined,
  key: string,
  members: readonly (keyof T & string)[],
): T {
  const manifest = jsonIn<T>(bytes, key, ['version', ...members])
  if (manifest.version !== manifestVersion) throw new UnknownManifestVersion(key, manifest.version)
  return manifest
}

export type ExaminedFact = readonly [what: string, found: unknown, expected: unknown]

/** Throws `Damaged` for the first of these that is not as it must be. */
export function expectEqual(facts: readonly ExaminedFact[]): void {
  for (const [what, found, expected] of facts)
    if (found !== expected)
      throw new Damaged(`has ${what}: ${String(found)}; it should be ${String(expected)}`)
}
