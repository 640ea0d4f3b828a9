import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** The first request with the token gets the session. Nothing is stored outside of this process. */
export interface ConsoleSession {
  /** Works once. */
  readonly token: string
  /** The session's secret for the right token, at its first use; else undefined. */
  exchange(token: string): string | undefined
  /** Whether this is the session's secret. */
  isValid(secret: string | undefined): boolean
}

export function createSession(): ConsoleSession {
  const token = randomBytes(32).toString('base64url')
  const secret = randomBytes(32).toString('base64url')
  let isUsed = false
  return {
    token,
    exchange(given) {
      if (isUsed || !isSame(given, token)) return undefined
      isUsed = true
      return secret
    },
    isValid: (given) => isUsed && given !== undefined && isSame(given, secret),
  }
}

/** Compares hashes, which have the same length, in constant time. */
function isSame(one: string, other: string): boolean {
  const [first, second] = [one, other].map((text) => createHash('sha256').update(text).digest())
  return timingSafeEqual(first as Buffer, second as Buffer)
}
