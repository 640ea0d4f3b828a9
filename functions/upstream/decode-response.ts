import { codingsOf, compressionOf, DecodingError, decode, isDecodable } from './content-codings.ts'
import { UpstreamFailure, type UpstreamResponse } from './exchange.ts'
import { inUtf8 } from './utf-8.ts'

/**
 * The response in UTF-8 and without its content coding, which an intermediary may add although the request does not
 * accept any. Throws `UpstreamFailure` for a success whose body cannot be decoded. The body of another status stays as it
 * is then, since the status is enough.
 */
export function decodeResponse(response: UpstreamResponse, maxBytes: number): UpstreamResponse {
  const { 'content-encoding': contentEncoding, ...headers } = response.headers
  const isSuccess = response.status < 300
  try {
    const body = decode(response.body, codingsOf(contentEncoding), maxBytes)
    const format = compressionOf(body)
    // Some intermediaries compress a body and leave out the header.
    const plain = format !== undefined && isDecodable(format) ? decode(body, [format], maxBytes) : body
    const left = compressionOf(plain)
    if (left !== undefined) throw new DecodingError('malformed', hiddenCompression(left))
    return { ...response, headers, body: inUtf8(plain) }
  } catch (error) {
    if (!(error instanceof DecodingError)) throw error
    if (!isSuccess) return response
    throw new UpstreamFailure(error.kind === 'too-large' ? 'too-large' : 'unreadable', { cause: error })
  }
}

/** For a body that is still compressed after its codings were reversed. */
export const hiddenCompression = (format: string): string =>
  `its body is compressed (${format}) in addition to what its Content-Encoding says`
