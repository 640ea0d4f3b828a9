import { isUtf8 } from 'node:buffer'
import { fingerprintBytes, writeFingerprint } from './fingerprint.ts'
import { carriageReturn, lineFeed } from './json-bytes.ts'
import { MalformedPage } from './json-scalars.ts'
import { DocumentScanner } from './json-scanner.ts'

export interface SplitPage {
  /** The platform's own bytes of each document, followed by a line feed. */
  readonly lines: Buffer
  readonly documents: number
  /** The documents that have no id and are identified by their bytes instead. */
  readonly documentsWithoutId: number
  /** One 64-bit fingerprint for each document, in the order of the page. */
  readonly fingerprints: Buffer
}

/**
 * Splits a page into lines without parsing and serializing the documents, so that no digit, key order or escape
 * changes. A CR or LF between tokens becomes a space. Accepts exactly what a JSON parser accepts, up to a depth limit.
 * The fingerprint of a document is the hash of its `idField`, or of its bytes if it has no id. Throws `MalformedPage`.
 * Overwrites `body` with the lines, which saves copying every page into a second buffer.
 */
export function splitPageInPlace(body: Buffer, idField: string): SplitPage {
  if (!isUtf8(body)) throw new MalformedPage('The page is not valid UTF-8.')
  const scanner = new DocumentScanner(body, Buffer.from(idField))
  let fingerprints = Buffer.allocUnsafe(1024 * fingerprintBytes)
  let documents = 0
  let documentsWithoutId = 0
  let written = 0

  while (scanner.next()) {
    const { start, end } = scanner
    if (scanner.hasLineBreaks) blankLineBreaks(body, start, end)
    if ((documents + 1) * fingerprintBytes > fingerprints.length) {
      fingerprints = Buffer.concat([fingerprints, Buffer.allocUnsafe(fingerprints.length)])
    }
    const id = scanner.identity()
    if (!id) documentsWithoutId++
    writeFingerprint(id ?? body.subarray(start, end), fingerprints, documents * fingerprintBytes)
    body.copyWithin(written, start, end)
    written += end - start
    // The comma or bracket after each document leaves space for the line feed.
    body[written++] = lineFeed
    documents++
  }
  return {
    lines: body.subarray(0, written),
    documents,
    documentsWithoutId,
    fingerprints: fingerprints.subarray(0, documents * fingerprintBytes),
  }
}

function blankLineBreaks(bytes: Buffer, start: number, end: number): void {
  for (let at = start; at < end; at++) {
    if (bytes[at] === lineFeed || bytes[at] === carriageReturn) bytes[at] = 0x20
  }
}
