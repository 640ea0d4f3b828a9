import * as v from 'valibot'
import { CredentialsError } from './exchange.ts'

export interface Credentials {
  readonly appKey: string
  readonly appToken: string
  /** The secret's version, by which a rotation is detected. */
  readonly version: string
}

const schema = v.object({
  appKey: v.pipe(v.string(), v.trim(), v.nonEmpty()),
  appToken: v.pipe(v.string(), v.trim(), v.nonEmpty()),
})

/** The app key and token in a secret's value. Throws `CredentialsError` (`malformed`), which quotes nothing of it. */
export function parseCredentials(value: string | undefined): Omit<Credentials, 'version'> {
  const parsed = v.safeParse(schema, parseJson(value))
  if (!parsed.success) {
    const members = parsed.issues.map((issue) => v.getDotPath(issue) ?? 'the whole value').join(', ')
    throw new CredentialsError(
      'malformed',
      `The credentials secret must be JSON of the form {"appKey":"…","appToken":"…"} with non-empty strings. Wrong: ${members}.`,
    )
  }
  const { appKey, appToken } = parsed.output
  // Visible ASCII only: anything else is no header value, and could end the header.
  if (![appKey, appToken].every((part) => /^[\x21-\x7e]+$/.test(part))) {
    throw new CredentialsError(
      'malformed',
      'The app key or app token in the credentials secret contains characters that are not allowed in an HTTP header.',
    )
  }
  return { appKey, appToken }
}

function parseJson(text: string | undefined): unknown {
  try {
    // An editor may have added a byte order mark, which `trim` removes too.
    return JSON.parse(text?.trim() ?? '')
  } catch {
    return undefined
  }
}
