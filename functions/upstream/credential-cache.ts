import { type Area, placeholder } from '../platform/areas.ts'
import { CredentialsError } from './exchange.ts'
import { type Credentials, parseCredentials } from './secret-value.ts'

/** One read of a secret from its store. */
export type SecretReader = (secretId: string) => Promise<{ value: string | undefined; version: string }>

export interface CredentialsSource {
  /** The area's credentials. Throws `CredentialsError`. */
  get(area: Area): Promise<Credentials>
  /** Newer credentials than the version that was just rejected, if there are any. Throws `CredentialsError`. */
  renew(area: Area, rejectedVersion: string): Promise<Credentials | undefined>
}

export interface CacheOptions {
  readonly secretIds: Readonly<Partial<Record<Area, string>>>
  readonly read: SecretReader
  readonly now?: () => number
  /** With it `renew` waits until the secret may be read again. Without it, the last read counts. */
  readonly sleep?: (ms: number) => Promise<unknown>
}

const cachedMs = 600_000
/** How long the placeholder is believed, and how often one rejected version may cause a read. */
const rereadMs = 10_000

/** Caches each secret for 10 minutes: concurrent requests share one read, and a failed read is not cached. */
export function cacheCredentials(options: CacheOptions): CredentialsSource {
  const { secretIds, read, now = Date.now, sleep } = options
  const secrets = new Map<string, CachedSecret>()
  const secretOf = (area: Area): CachedSecret => {
    const id = secretIds[area]
    if (id === undefined) throw new Error(`This function has no credentials for the area ${area}.`)
    const known = secrets.get(id)
    if (known) return known
    const secret = cachedSecret(() => readCredentials(read, id), { now, sleep })
    secrets.set(id, secret)
    return secret
  }
  return {
    get: async (area) => secretOf(area).get(),
    renew: async (area, rejectedVersion) => secretOf(area).renew(rejectedVersion),
  }
}

interface CachedSecret {
  get(): Promise<Credentials>
  renew(rejectedVersion: string): Promise<Credentials | undefined>
}

function cachedSecret(
  read: () => Promise<Credentials>,
  { now, sleep }: { now: () => number; sleep: CacheOptions['sleep'] },
): CachedSecret {
  let current: { credentials: Promise<Credentials>; until: number } | undefined
  let renewal: { read: Promise<Credentials>; rejectedVersion: string; at: number } | undefined

  const readAgain = (): Promise<Credentials> => {
    const entry = { credentials: read(), until: now() + cachedMs }
    current = entry
    entry.credentials.catch((error: unknown) => {
      if (error instanceof CredentialsError && error.kind === 'not-set') entry.until = now() + rereadMs
      else if (current === entry) current = undefined
    })
    return entry.credentials
  }

  return {
    get: () => (current && now() < current.until ? current.credentials : readAgain()),
    async renew(rejectedVersion) {
      const rejectedAt = now()
      // Another request may have read the new version already.
      const known = await this.get()
      if (known.version !== rejectedVersion) return known
      const lastReadAt = () => (renewal?.rejectedVersion === rejectedVersion ? renewal.at : -Infinity)
      const earlyMs = lastReadAt() + rereadMs - now()
      const waits = sleep !== undefined && earlyMs > 0 && lastReadAt() < rejectedAt
      if (waits) await sleep(Math.min(earlyMs, rereadMs))
      const before = current
      // Another request may have read the secret during the wait.
      if (!renewal || (lastReadAt() < rejectedAt && (waits || earlyMs <= 0)))
        renewal = { read: readAgain(), rejectedVersion, at: now() }
      const renewed = await renewal.read.catch((error: unknown) => {
        // Other requests continue with the credentials that are known while the store is down.
        current ??= before
        throw error
      })
      return renewed.version === rejectedVersion ? undefined : renewed
    },
  }
}

async function readCredentials(read: SecretReader, secretId: string): Promise<Credentials> {
  const { value, version } = await read(secretId).catch((cause: unknown) => {
    throw new CredentialsError('unreadable', 'The credentials secret cannot be read.', { cause })
  })
  const credentials = parseCredentials(value)
  if (credentials.appKey === placeholder || credentials.appToken === placeholder)
    throw new CredentialsError('not-set', 'The credentials secret still contains the placeholder.')
  return { ...credentials, version }
}
