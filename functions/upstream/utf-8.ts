/**
 * A text in UTF-8, in which JSON is exchanged (RFC 8259 section 8.1). UTF-16 is recognized by its byte order mark, or by
 * the zero next to the first character, which is ASCII in JSON and HTML.
 */
export function inUtf8(body: Buffer): Buffer {
  const [first, second] = body
  const isLittleEndian = (first === 0xff && second === 0xfe) || (first !== 0 && second === 0)
  const isBigEndian = (first === 0xfe && second === 0xff) || (first === 0 && (second ?? 0) !== 0)
  if (!isLittleEndian && !isBigEndian) return body
  const units = Buffer.from(body.subarray(0, body.length & ~1))
  const text = (isBigEndian ? units.swap16() : units).toString('utf16le')
  // UTF-8 has no half of a character, but JSON has an escape for it.
  return Buffer.from(text.replaceAll(/\p{Surrogate}/gu, (half) => `\\u${half.charCodeAt(0).toString(16)}`))
}
