import type { UpstreamResponse } from '../upstream/exchange.ts'
import { codingsOf, DecodingError, decode } from './content-coding.ts'

/**
 * The response without its content coding, which an intermediary may add although the request does not accept any. A
 * body that cannot be decoded stays as it is, and is not a page.
 */
export function decodeResponse(response: UpstreamResponse, maxBytes: number): UpstreamResponse {
  const codings = codingsOf(response.headers['content-encoding'])
  try {
    return { ...response, body: decode(response.body, codings, maxBytes) }
  } catch (error) {
    if (error instanceof DecodingError) return response
    throw error
  }
}
