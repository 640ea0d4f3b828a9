import { gunzipSync, type InputType, inflateRawSync, type Zlib, type ZlibOptions } from 'node:zlib'

/** zlib with the option `info`, which Node's types do not include in the result. */
const inflate = inflateRawSync as unknown as (
  body: InputType,
  options: ZlibOptions & { readonly info: true },
) => { readonly engine: Zlib }

/**
 * The content of a gzip file. Some intermediaries append a line break or other bytes to it. These are ignored after its
 * last member, as Node ignores them after a body in any other coding. Throws zlib's errors.
 */
export function gunzipLeniently(body: Buffer, options: { readonly maxOutputLength: number }): Buffer {
  try {
    return gunzipSync(body, options)
  } catch (error) {
    const end = endOfMembers(body, options)
    if (end === 0 || end >= body.length || isMember(body, end)) throw error
    return gunzipSync(body.subarray(0, end), options)
  }
}

/** Where the complete members at the beginning end (RFC 1952 section 2.2). */
function endOfMembers(body: Buffer, options: { readonly maxOutputLength: number }): number {
  let end = 0
  while (isMember(body, end)) {
    const start = headerEnd(body, end)
    const next = start + compressedBytes(body.subarray(start), options) + trailerBytes
    if (!(next <= body.length)) return end
    end = next
  }
  return end
}

/** CRC and size. */
const trailerBytes = 8

const isMember = (body: Buffer, at: number) => body[at] === 0x1f && body[at + 1] === 0x8b

/** NaN if the compressed data has no end. */
function compressedBytes(body: Buffer, options: { readonly maxOutputLength: number }): number {
  try {
    return inflate(body, { ...options, info: true }).engine.bytesWritten
  } catch {
    return Number.NaN
  }
}

const flags = { hasChecksum: 0x02, hasExtra: 0x04, hasName: 0x08, hasComment: 0x10 }
const fixedHeaderBytes = 10

/** RFC 1952 section 2.3. */
function headerEnd(body: Buffer, start: number): number {
  const has = (flag: number) => ((body[start + 3] ?? 0) & flag) !== 0
  let end = start + fixedHeaderBytes
  if (has(flags.hasExtra)) end += 2 + (body[end] ?? 0) + 256 * (body[end + 1] ?? 0)
  for (const flag of [flags.hasName, flags.hasComment]) {
    const zero = has(flag) ? body.indexOf(0, end) : end - 1
    end = zero < 0 ? body.length : zero + 1
  }
  return has(flags.hasChecksum) ? end + 2 : end
}
