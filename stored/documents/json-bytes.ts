/** The bytes of JSON's grammar (RFC 8259). */
export const lineFeed = 0x0a
export const carriageReturn = 0x0d
export const quote = 0x22
export const comma = 0x2c
export const minus = 0x2d
export const colon = 0x3a
export const openBracket = 0x5b
export const backslash = 0x5c
export const closeBracket = 0x5d
export const openBrace = 0x7b
export const closeBrace = 0x7d

export function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39
}

export function isWhiteSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === lineFeed || byte === carriageReturn || byte === 0x09
}

/** Some proxies add one. RFC 8259 section 8.1 allows a parser to ignore it. */
export function hasByteOrderMark(bytes: Buffer): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
}
