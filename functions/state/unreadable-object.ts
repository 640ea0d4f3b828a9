import { UnknownManifestVersion } from './unknown-version.ts'

/** An object of the bucket that Longshore cannot have written as it is. */
export class UnreadableObject extends Error {
  override readonly name = 'UnreadableObject'
  readonly problem: string
  readonly fix: string = 'restore its previous version (docs/recovery.md)'

  /** `what`: what is wrong with it, such as `is not JSON`. */
  constructor(key: string, what: string, options?: ErrorOptions) {
    const problem = `${key} ${what}.`
    super(`${problem} Restore its previous version.`, options)
    this.problem = problem
  }
}

/** Whether an object of the bucket has to be restored, so that to read it again does not help. */
export const isUnreadable = (error: unknown): error is UnreadableObject | UnknownManifestVersion =>
  error instanceof UnreadableObject || error instanceof UnknownManifestVersion

/** Takes an object that has to be restored as absent. Throws every other error. */
export function absentIfUnreadable(error: unknown): undefined {
  if (!isUnreadable(error)) throw error
}
