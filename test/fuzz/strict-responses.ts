export interface StrictResponse {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: Buffer
}

/** The bytes that a server sent are not well-formed HTTP/1.1. */
class MalformedResponse extends Error {
  override readonly name = 'MalformedResponse'
}

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/**
 * All responses received over one connection, parsed strictly by RFC 9112. Throws `MalformedResponse` where a lenient
 * client would guess. None of the requests may be a HEAD.
 */
export function parseResponses(bytes: Buffer): readonly StrictResponse[] {
  const responses: StrictResponse[] = []
  let at = 0
  while (at < bytes.length) {
    const endOfHead = bytes.indexOf('\r\n\r\n', at)
    if (endOfHead < 0) throw new MalformedResponse('A response ends before its body.')
    const [statusLine = '', ...lines] = bytes.toString('latin1', at, endOfHead).split('\r\n')
    const [, code] = /^HTTP\/1\.1 ([1-5]\d\d) [\t\x20-\x7e]*$/.exec(statusLine) ?? []
    if (code === undefined) throw new MalformedResponse(`'${statusLine}' is not a status line.`)
    const status = Number(code)
    const headers = headersOf(lines)
    const body = bodyOf(bytes.subarray(endOfHead + 4), { status, headers })
    responses.push({ status, headers, body: body.content })
    at = endOfHead + 4 + body.length
  }
  return responses
}

function headersOf(lines: readonly string[]): Map<string, string> {
  const headers = new Map<string, string>()
  for (const line of lines) {
    const split = line.indexOf(':')
    const name = line.slice(0, split).toLowerCase()
    const value = line.slice(split + 1).trim()
    if (split < 1 || !token.test(name)) throw new MalformedResponse(`'${line}' is not a header.`)
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
      throw new MalformedResponse(`${name} has a control character.`)
    if (headers.has(name) && name !== 'set-cookie') throw new MalformedResponse(`${name} occurs twice.`)
    headers.set(name, value)
  }
  return headers
}

/** RFC 9112 section 6.3. */
function bodyOf(rest: Buffer, { status, headers }: Omit<StrictResponse, 'body'>) {
  const length = headers.get('content-length')
  const coding = headers.get('transfer-encoding')
  if (length !== undefined && coding !== undefined)
    throw new MalformedResponse('The response has a Content-Length and a Transfer-Encoding.')
  if (status < 200 || status === 204 || status === 304) {
    if (coding !== undefined || (length !== undefined && status !== 304))
      throw new MalformedResponse(`A ${status} has a body length.`)
    return { content: Buffer.alloc(0), length: 0 }
  }
  if (coding === 'chunked') return chunkedBody(rest)
  if (coding !== undefined) throw new MalformedResponse(`'${coding}' is not a supported Transfer-Encoding.`)
  if (length === undefined) {
    if (headers.get('connection') !== 'close') throw new MalformedResponse('The body has no length.')
    return { content: rest, length: rest.length }
  }
  if (!/^\d+$/.test(length)) throw new MalformedResponse(`'${length}' is not a length.`)
  if (rest.length < Number(length)) throw new MalformedResponse('The body is cut off.')
  return { content: rest.subarray(0, Number(length)), length: Number(length) }
}

/** RFC 9112 section 7.1, without trailers and extensions. */
function chunkedBody(rest: Buffer) {
  const chunks: Buffer[] = []
  for (let at = 0; ; ) {
    const endOfSize = rest.indexOf('\r\n', at)
    const size = endOfSize < 0 ? '' : rest.toString('latin1', at, endOfSize)
    if (!/^[\da-f]+$/i.test(size)) throw new MalformedResponse(`'${size}' is not a chunk size.`)
    const end = endOfSize + 2 + Number.parseInt(size, 16)
    if (rest.toString('latin1', end, end + 2) !== '\r\n') throw new MalformedResponse('A chunk has no end.')
    chunks.push(rest.subarray(endOfSize + 2, end))
    at = end + 2
    if (Number.parseInt(size, 16) === 0) return { content: Buffer.concat(chunks), length: at }
  }
}
