import { isUtf8 } from 'node:buffer'
import { fingerprintBytes, writeFingerprint } from './fingerprint.ts'
import { carriageReturn, lineFeed } from './json-bytes.ts'
import { MalformedPage } from './json-scalars.ts'
import { DocumentScanner } from './json-scanner.ts'

export interface SplitPage {
  /** One document a line, each ended by a line feed: the upstream's own bytes. */
  readonly lines: Buffer
  readonly documents: number
  /** A 64-bit fingerprint of each document's identity, 8 bytes each, in the page's order. */
  readonly fingerprints: Buffer
}

/**
 * Cuts a page's bytes into documents without parsing and writing them anew, so that no digit, key order or escape
 * changes; a CR or LF can only stand between tokens and becomes a space. It accepts exactly what a JSON parser would.
 * A document is known by the value of `idField`, or else by the hash of its bytes. Throws `MalformedPage`.
 * The lines are written over the body, for a buffer of their own costs the worker an eighth of its processor time.
 */
export function splitPage(body: Buffer, idField: string): SplitPage {
  if (!isUtf8(body)) throw new MalformedPage('The page is not valid UTF-8.')
  const scanner = new DocumentScanner(body, Buffer.from(idField))
  let fingerprints = Buffer.allocUnsafe(1024 * fingerprintBytes)
  let documents = 0
  let written = 0

  for (const { start, end } of scanner.documents()) {
    if (scanner.hasLineBreaks) blankLineBreaks(body, start, end)
    if ((documents + 1) * fingerprintBytes > fingerprints.length) {
      fingerprints = Buffer.concat([fingerprints, Buffer.allocUnsafe(fingerprints.length)])
    }
    const identity = scanner.identity() ?? body.subarray(start, end)
    writeFingerprint(identity, fingerprints, documents * fingerprintBytes)
    body.copyWithin(written, start, end)
    written += end - start
    // Never over what is yet to be read: each document stood beside a comma or the closing bracket.
    body[written++] = lineFeed
    documents++
  }
  return {
    lines: body.subarray(0, written),
    documents,
    fingerprints: fingerprints.subarray(0, documents * fingerprintBytes),
  }
}

function blankLineBreaks(bytes: Buffer, start: number, end: number): void {
  for (let at = start; at < end; at++) {
    if (bytes[at] === lineFeed || bytes[at] === carriageReturn) bytes[at] = 0x20
  }
}
