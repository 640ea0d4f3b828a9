import {
  codingsOf,
  compressedFor,
  DecodingError,
  decoded,
  type Representation,
  takes,
} from '../http/content-coding.ts'
import { ProblemError } from '../http/problem.ts'
import { type LambdaResult, lambdaResult, maxResultBytes } from '../http/result.ts'
import type { Endpoint } from '../platform/endpoints.ts'
import { answerTooLarge, type RelayedAnswer, unusable } from './response-rules.ts'

/**
 * An answer in the form that this caller takes and Lambda carries. What the platform compressed stays as it is for
 * whoever takes it. Throws `ProblemError`.
 */
export async function deliver(
  { statusCode, headers, body }: RelayedAnswer,
  call: { readonly acceptEncoding: string | undefined; readonly endpoint: Endpoint | undefined },
): Promise<LambdaResult> {
  if (!body) return { statusCode, headers: { ...headers } }
  const { acceptEncoding, endpoint } = call
  const representation = await represented({ headers, body }, acceptEncoding).catch((error: unknown) => {
    if (!(error instanceof DecodingError)) throw error
    if (error.kind === 'too-large' && endpoint) throw answerTooLarge(endpoint)
    const detail = `Its Content-Encoding is ${error.kind === 'unknown' ? 'none that can be undone' : 'not what its body has'}, and the request did not accept it as it is. Send an Accept-Encoding that does.`
    throw unusable(detail, statusCode)
  })
  const result = lambdaResult(statusCode, representation)
  if (result) return result
  throw endpoint ? answerTooLarge(endpoint) : new ProblemError('internal-error', 'The answer is too large.')
}

async function represented(
  given: Representation,
  acceptEncoding: string | undefined,
): Promise<Representation> {
  const { 'content-encoding': contentEncoding, ...headers } = given.headers
  const codings = codingsOf(contentEncoding)
  // What is empty is no gzip, even if it says so.
  if (codings.length === 0 || given.body.length === 0)
    return compressedFor(acceptEncoding, { headers, body: given.body })
  const vary = 'accept-encoding'
  if (takes(acceptEncoding, codings)) return { headers: { ...given.headers, vary }, body: given.body }
  const body = await decoded(given.body, codings, maxResultBytes)
  const plain = await compressedFor(acceptEncoding, { headers, body })
  return { ...plain, headers: { ...plain.headers, vary } }
}
