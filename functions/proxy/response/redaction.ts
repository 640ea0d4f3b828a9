import { codingsOf, DecodingError, decode } from '../../http/content-coding.ts'
import { maxResultBytes } from '../../http/result.ts'
import type { Endpoint } from '../../platform/endpoints.ts'
import { undecodable } from './delivery.ts'
import { answerTooLarge, type RelayedAnswer, unusable } from './relay.ts'

/**
 * An error answer without the app key and app token, which a platform may echo. A compressed body is decoded for that.
 * Throws `ProblemError` if it cannot be decoded.
 */
export function withoutCredentials(
  answer: RelayedAnswer,
  { endpoint, redact }: { readonly endpoint: Endpoint; readonly redact: (text: string) => string },
): RelayedAnswer {
  const { statusCode, body } = answer
  if (statusCode < 400) return answer
  const headers = withoutCredentialsIn(answer.headers, redact)
  if (!body || body.length === 0) return { ...answer, headers }
  // Latin-1 maps each byte to one character and back, whatever the charset. Credentials are ASCII.
  const text = decodeAnswer(answer, body, endpoint).toString('latin1')
  const redacted = redact(text)
  if (redacted === text) return { ...answer, headers }
  const { 'content-encoding': _, ...plainHeaders } = headers
  return { statusCode, headers: plainHeaders, body: Buffer.from(redacted, 'latin1') }
}

function withoutCredentialsIn(headers: RelayedAnswer['headers'], redact: (text: string) => string) {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, redact(value)]))
}

function decodeAnswer({ statusCode, headers }: RelayedAnswer, body: Buffer, endpoint: Endpoint): Buffer {
  try {
    return decode(body, codingsOf(headers['content-encoding']), maxResultBytes)
  } catch (error) {
    if (!(error instanceof DecodingError)) throw error
    throw error.kind === 'too-large' ? answerTooLarge(endpoint) : unusable(undecodable(error), statusCode)
  }
}
