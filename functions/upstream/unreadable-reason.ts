/** Descriptions of what Node's HTTP parser refuses, by its reasons. Others are quoted as they are. */
const byReason: Readonly<Record<string, string>> = {
  'Header overflow': 'its headers are larger than 16 KB',
  'Duplicate Content-Length': 'it has two Content-Length headers',
  "Transfer-Encoding can't be present with Content-Length":
    'it has both Content-Length and Transfer-Encoding',
  "Content-Length can't be present with Transfer-Encoding":
    'it has both Content-Length and Transfer-Encoding',
  'Unexpected whitespace after header value': 'one of its headers is folded over several lines',
  'Data after `Connection: close`': 'other bytes follow its end',
}

/** By its codes, where a code has several reasons. */
const byCode: Readonly<Record<string, string>> = {
  HPE_CR_EXPECTED: 'its lines end with LF instead of CR LF',
  HPE_INVALID_CONTENT_LENGTH: 'its Content-Length is not a number',
  HPE_INVALID_CHUNK_SIZE: 'its chunks are malformed',
  HPE_STRICT: 'its chunks are malformed',
  HPE_INVALID_VERSION: 'its HTTP version is not 1.0 or 1.1',
}

/** Why Node's HTTP parser refuses a response, in a clause without a full stop; undefined for other errors. */
export function unreadableReason(
  error: unknown,
  { isAfterHead }: { readonly isAfterHead: boolean },
): string | undefined {
  if (!(error instanceof Error && 'code' in error)) return undefined
  const code = String(error.code)
  if (!code.startsWith('HPE_')) return undefined
  const reason = 'reason' in error ? String(error.reason) : error.message
  return describe(code, reason, isAfterHead)
}

function describe(code: string, reason: string, isAfterHead: boolean): string {
  // The parser expects the next response here.
  if (code === 'HPE_INVALID_CONSTANT')
    return isAfterHead ? 'other bytes follow its end' : 'it is not HTTP/1.1'
  return byReason[reason] ?? byCode[code] ?? `the HTTP parser reports "${reason}"`
}
