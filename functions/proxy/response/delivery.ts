import { accepts } from '../../http/accept-encoding.ts'
import type { LambdaResult, Representation } from '../../http/result.ts'
import { compressedFor, lambdaResult, maxResultBytes, ProblemError } from '../../http/result.ts'
import type { Endpoint } from '../../platform/endpoints.ts'
import { codingsOf, DecodingError, decode } from '../../upstream/content-codings.ts'
import { type RelayedResponse, responseTooLarge, unusable } from './relay.ts'

/** A response in a coding that the caller accepts and in the form that Lambda returns. Throws `ProblemError`. */
export async function deliver(
  { statusCode, headers, body }: RelayedResponse,
  call: { readonly acceptEncoding: string | undefined; readonly endpoint: Endpoint | undefined },
): Promise<LambdaResult> {
  if (!body) return { statusCode, headers: { ...headers } }
  const { acceptEncoding, endpoint } = call
  const representation = await represent({ headers, body }, acceptEncoding).catch((error: unknown) => {
    if (!(error instanceof DecodingError)) throw error
    if (error.kind === 'too-large' && endpoint) throw responseTooLarge(endpoint)
    throw unusable(
      `${undecodable(error)} Send an Accept-Encoding that includes this encoding, so that the body is relayed unchanged.`,
      statusCode,
    )
  })
  const result = lambdaResult(statusCode, representation)
  if (result) return result
  throw endpoint
    ? responseTooLarge(endpoint)
    : new ProblemError('internal-error', 'The response is too large.')
}

/** Why a body cannot be decoded, as a sentence. */
export const undecodable = ({ message }: DecodingError): string =>
  `${message.charAt(0).toUpperCase()}${message.slice(1)}.`

async function represent(given: Representation, acceptEncoding: string | undefined): Promise<Representation> {
  const { 'content-encoding': contentEncoding, ...headers } = given.headers
  const codings = codingsOf(contentEncoding)
  if (codings.length === 0 || given.body.length === 0)
    return compressedFor(acceptEncoding, { headers, body: given.body })
  const vary = 'accept-encoding'
  if (accepts(acceptEncoding, codings)) return { headers: { ...given.headers, vary }, body: given.body }
  const body = decode(given.body, codings, maxResultBytes)
  const plain = await compressedFor(acceptEncoding, { headers, body })
  return { ...plain, headers: { ...plain.headers, vary } }
}
