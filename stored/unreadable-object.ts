import type { FailureCause } from './run/run.ts'
import { UnknownManifestVersion } from './unknown-version.ts'

/** An object of the bucket that Longshore cannot have written as it is. */
export class UnreadableObject extends Error {
  override readonly name = 'UnreadableObject'
  readonly key: string
  /** Without these it cannot be read. */
  readonly members: readonly string[]
  readonly problem: string
  readonly fix: string

  /** `what`: what is wrong with it, such as `is not JSON`. */
  constructor(
    key: string,
    what: string,
    { members = [], ...options }: ErrorOptions & { readonly members?: readonly string[] } = {},
  ) {
    // Each folder of the bucket has a folder for each entity.
    const [, entity = 'ENTITY'] = key.split('/')
    const fix = `restore its newest intact version (longshore verify ${entity} --repair)`
    const problem = `${key} ${what}.`
    super(`${problem} To fix this, ${fix}.`, options)
    this.key = key
    this.members = members
    this.problem = problem
    this.fix = fix
  }
}

export type Unreadable = UnreadableObject | UnknownManifestVersion

/** No older version resolves that another release wrote it. */
export const causeOfUnreadable = (error: Unreadable): FailureCause | undefined =>
  error instanceof UnreadableObject ? 'unreadable-object' : undefined

/** Whether an object of the bucket has to be restored, so that to read it again does not help. */
export const isUnreadable = (error: unknown): error is Unreadable =>
  error instanceof UnreadableObject || error instanceof UnknownManifestVersion

/** Takes an object that has to be restored as absent. Throws every other error. */
export function absentIfUnreadable(error: unknown): undefined {
  if (!isUnreadable(error)) throw error
}

/** Throws `UnreadableObject` if the text is not JSON, or lacks one of these members. */
export function parseObject(text: string, key: string, members: readonly string[]): object {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new UnreadableObject(key, 'is not JSON', { cause, members })
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UnreadableObject(key, 'is not a JSON object', { members })
  const missing = members.find((member) => !Object.hasOwn(value, member))
  if (missing !== undefined) throw new UnreadableObject(key, `has no ${missing}`, { members })
  return value
}
