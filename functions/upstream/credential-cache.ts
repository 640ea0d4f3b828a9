import * as v from 'valibot'
import { type Area, placeholder } from '../platform/areas.ts'
import { CredentialsError } from './errors.ts'

export interface Credentials {
  readonly appKey: string
  readonly appToken: string
  /** The secret's version, by which a rotation is recognised. */
  readonly version: string
}

/** One read of a secret from its store. */
export type SecretReader = (secretId: string) => Promise<{ value: string | undefined; version: string }>

export interface CredentialsSource {
  /** The area's credentials. Throws `CredentialsError`. */
  get(area: Area): Promise<Credentials>
  /** Newer credentials than the rejected ones, if there are any. Reads the secret only so often. */
  renew(area: Area, rejectedVersion: string): Promise<Credentials | undefined>
}

const keptMs = 600_000
const placeholderKeptMs = 10_000

export interface CacheOptions {
  readonly secretIds: Readonly<Partial<Record<Area, string>>>
  readonly read: SecretReader
  /** How often a rejection may have the secret read again; once a minute if not given. */
  readonly renewalIntervalMs?: number
  readonly now?: () => number
}

/** Keeps what was read for 10 minutes: one read however many requests wait for it, and no failed read is kept. */
export function cacheCredentials(options: CacheOptions): CredentialsSource {
  const { secretIds, read } = options
  const secrets = new Map<string, CachedSecret>()
  const secretOf = (area: Area): CachedSecret => {
    const id = secretIds[area]
    if (id === undefined) throw new Error(`This function has no credentials for the area ${area}.`)
    const known = secrets.get(id)
    if (known) return known
    const secret = cachedSecret(() => readCredentials(read, id), options)
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
  { renewalIntervalMs = 60_000, now = Date.now }: CacheOptions,
): CachedSecret {
  let current: { credentials: Promise<Credentials>; until: number } | undefined
  let renewal: { read: Promise<Credentials>; at: number } | undefined

  const readAgain = (): Promise<Credentials> => {
    const entry = { credentials: read(), until: now() + keptMs }
    current = entry
    entry.credentials.catch((error: unknown) => {
      if (error instanceof CredentialsError && error.kind === 'not-set')
        entry.until = now() + placeholderKeptMs
      else if (current === entry) current = undefined
    })
    return entry.credentials
  }

  return {
    get: () => (current && now() < current.until ? current.credentials : readAgain()),
    async renew(rejectedVersion) {
      // Another request may have met the same rotation: what it read serves this one too.
      const known = await this.get()
      if (known.version !== rejectedVersion) return known
      const before = current
      if (!renewal || now() - renewal.at >= renewalIntervalMs) renewal = { read: readAgain(), at: now() }
      const renewed = await renewal.read.catch((error: unknown) => {
        renewal = undefined
        // One rejection while the store is down must not take the keys from every other call.
        current ??= before
        throw error
      })
      return renewed.version === rejectedVersion ? undefined : renewed
    },
  }
}

const secretSchema = v.object({
  appKey: v.pipe(v.string(), v.trim(), v.nonEmpty()),
  appToken: v.pipe(v.string(), v.trim(), v.nonEmpty()),
})

async function readCredentials(read: SecretReader, secretId: string): Promise<Credentials> {
  const { value, version } = await read(secretId).catch((cause: unknown) => {
    throw new CredentialsError('unreadable', 'The secret with the platform keys could not be read.', {
      cause,
    })
  })
  const parsed = v.safeParse(secretSchema, parseJson(value))
  if (!parsed.success) {
    const keys = parsed.issues.map((issue) => v.getDotPath(issue) ?? 'the whole value').join(', ')
    throw new CredentialsError(
      'unreadable',
      `The secret must be JSON of the form {"appKey":"…","appToken":"…"} with non-empty strings; wrong here: ${keys}.`,
    )
  }
  const { appKey, appToken } = parsed.output
  if (appKey === placeholder || appToken === placeholder) {
    throw new CredentialsError('not-set', 'The secret still holds the placeholder of its creation.')
  }
  if (![appKey, appToken].every((part) => /^[\x21-\x7e]+$/.test(part))) {
    throw new CredentialsError(
      'unreadable',
      'A key in the secret holds characters that no HTTP header can carry.',
    )
  }
  return { appKey, appToken, version }
}

function parseJson(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return undefined
  }
}
