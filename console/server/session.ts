import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

export type ConsoleSession = ReturnType<typeof createSession>

/** The first request with the token gets the session. Nothing is stored outside of this process. */
export function createSession() {
  const token = randomBytes(32).toString('base64url')
  const secret = randomBytes(32).toString('base64url')
  let isUsed = false
  return {
    /** Works once. */
    token,
    /** The session's secret for the right token, at its first use; else undefined. */
    exchange(given: string): string | undefined {
      if (isUsed || !isSame(given, token)) return undefined
      isUsed = true
      return secret
    },
    /** Whether this is the session's secret. */
    isValid: (given: string | undefined) => isUsed && given !== undefined && isSame(given, secret),
  }
}

/** Compares hashes, which have the same length, in constant time. */
function isSame(one: string, other: string): boolean {
  const [first, second] = [one, other].map((text) => createHash('sha256').update(text).digest())
  return timingSafeEqual(first as Buffer, second as Buffer)
}
