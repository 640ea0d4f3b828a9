import type { Area } from '../../functions/platform/areas.ts'
import type { Settings } from '../../functions/runtime/settings.ts'
import type { KeyAndToken, SecretStore } from '../aws/secrets.aws.ts'
import { Interrupted } from '../errors.ts'
import { type CredentialCheck, checkCredentials } from './check.ts'

export interface CredentialsReplacement {
  readonly secrets: SecretStore
  readonly secretId: string
  /** The areas whose credentials are in the secret. */
  readonly served: readonly Area[]
  readonly toCheck: readonly Area[]
  readonly credentials: KeyAndToken
}

export interface ReplacementOptions {
  readonly settings: Settings
  /** Throws unless the credentials may become the current ones. */
  readonly accept: (checks: readonly CredentialCheck[]) => void
  readonly signal: AbortSignal
}

/** Stores credentials as a version that no function reads, checks them, and makes them the current ones. */
export async function replaceCredentials(
  { secrets, secretId, served, toCheck, credentials }: CredentialsReplacement,
  { settings, accept, signal }: ReplacementOptions,
): Promise<{ readonly version: string; readonly checks: readonly CredentialCheck[] }> {
  const version = await secrets.stage(secretId, credentials)
  try {
    const source = secrets.credentials(Object.fromEntries(served.map((area) => [area, secretId])), version)
    const checks = await checkCredentials(settings, toCheck, source)
    if (signal.aborted) throw new Interrupted('Interrupted. The previous credentials stay in use.')
    accept(checks)
    await secrets.promote(secretId, version)
    return { version, checks }
  } catch (error) {
    // No function reads this version, so a failure to drop it must not hide the first error.
    await secrets.drop(secretId, version).catch(() => {})
    throw error
  }
}
