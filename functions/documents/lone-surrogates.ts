import { backslash } from './json-bytes.ts'
import { Occurrences } from './occurrences.ts'

/**
 * Half of a surrogate pair, such as `\ud83d` of a text that was cut in the middle of an emoji. JSON allows the escape, but
 * UTF-8 cannot represent it, and many parsers refuse the document (RFC 8259, section 8.2).
 */
export const hasLoneSurrogate = (json: Buffer): boolean => loneSurrogates(json).next().done !== true

/** The JSON with U+FFFD in place of each. The same buffer if there is none. */
export function withoutLoneSurrogates(json: Buffer): Buffer {
  let repaired: Buffer | undefined
  for (const at of loneSurrogates(json)) {
    repaired ??= Buffer.from(json)
    repaired.write(replacement, at)
  }
  return repaired ?? json
}

const replacement = '\\ufffd'
const [lower, upper] = [Buffer.from('\\ud'), Buffer.from('\\uD')]
const escapeLength = replacement.length

/** Where the escapes are. */
function* loneSurrogates(json: Buffer): Generator<number> {
  if (!json.includes(lower) && !json.includes(upper)) return
  const found = [lower, upper].map((start) => new Occurrences(json, start))
  const next = (from: number) => Math.min(...found.map((each) => each.next(from)))
  for (let at = next(0); at < json.length; ) {
    const half = halfAt(json, at)
    const isPair = half === 'first' && halfAt(json, at + escapeLength) === 'second'
    if (half && !isPair) yield at
    at = next(at + (isPair ? 2 * escapeLength : 1))
  }
}

/** Which half of a pair the escape at a position stands for. */
function halfAt(json: Buffer, at: number): 'first' | 'second' | undefined {
  const digits = /^\\ud([89a-f])/i.exec(json.toString('latin1', at, at + 4))?.[1]
  if (!digits || isEscaped(json, at)) return undefined
  return /[89ab]/i.test(digits) ? 'first' : 'second'
}

/** Whether a backslash is the second one of an escaped backslash. */
function isEscaped(json: Buffer, at: number): boolean {
  let before = at
  while (json[before - 1] === backslash) before--
  return (at - before) % 2 === 1
}
