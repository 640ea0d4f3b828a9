/** An escape, or two that stand for a surrogate pair; the first group is half of a pair. */
const escapes = /\\(?:ud[89ab]..\\ud[c-f]..|(ud[89a-f]..)|.)/gi

/**
 * JSON with U+FFFD in place of each half of a surrogate pair, such as `\ud83d` of a text that was cut in the middle of an
 * emoji. JSON allows the escape, but UTF-8 cannot represent it, and many parsers refuse it (RFC 8259, section 8.2).
 */
export const withoutLoneSurrogates = (json: string): string =>
  json.replaceAll(escapes, (whole, half?: string) => (half ? '\\ufffd' : whole))
