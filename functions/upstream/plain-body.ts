import { codingsOf, DecodingError, decode } from './content-codings.ts'
import type { UpstreamResponse } from './exchange.ts'
import { inUtf8 } from './utf-8.ts'

const maxPlainBytes = 1024 * 1024

/** The body without its coding, in UTF-8. As it is if it cannot be decoded. */
export function plainBody({ headers, body }: Pick<UpstreamResponse, 'headers' | 'body'>): Buffer {
  try {
    return inUtf8(decode(body, codingsOf(headers['content-encoding']), maxPlainBytes))
  } catch (error) {
    if (error instanceof DecodingError) return body
    throw error
  }
}
