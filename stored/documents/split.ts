import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
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
  /** White space between the documents, and a byte order mark. */
  readonly spaceBytes: number
  /** Whether a line break in a document was replaced. */
  readonly replacesLineBreaks: boolean
}

/**
 * Splits a page into lines without parsing and serializing the documents, so that no digit, key order or escape
 * changes. A CR or LF between tokens becomes a space. Accepts exactly what a JSON parser accepts, up to a depth limit.
 * The fingerprint of a document is the hash of its `idField`, or of its bytes if it has no id. Throws `MalformedPage`.
 * Overwrites `body` with the lines, which saves copying every page into a second buffer.
 */
export function splitPageInPlace(body: Buffer, idField: string): SplitPage {
  const scanner = new DocumentScanner(body, Buffer.from(idField))
  const isValid = isUtf8(body)
  let fingerprints = Buffer.allocUnsafe(1024 * fingerprintBytes)
  let documents = 0
  let documentsWithoutId = 0
  let written = 0
  let last: string | undefined
  let replacesLineBreaks = false
  const next = () => {
    try {
      const isFound = scanner.next()
      if (!isValid && !(isFound && isUtf8(body.subarray(scanner.start, scanner.end)))) throw notUtf8()
      return isFound
    } catch (error) {
      throw located(isValid ? error : notUtf8(), {
        body,
        start: Math.max(scanner.start, scanner.end),
        documents,
        last,
      })
    }
  }

  while (next()) {
    const { start, end } = scanner
    if (scanner.hasLineBreaks) blankLineBreaks(body, start, end)
    replacesLineBreaks ||= scanner.hasLineBreaks
    if ((documents + 1) * fingerprintBytes > fingerprints.length) {
      fingerprints = Buffer.concat([fingerprints, Buffer.allocUnsafe(fingerprints.length)])
    }
    const id = scanner.identity()
    if (!id) documentsWithoutId++
    last = id
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
    spaceBytes: scanner.spaceBytes,
    replacesLineBreaks,
  }
}

const notUtf8 = () => new MalformedPage('The page is not valid UTF-8.')

const maxIdLength = 100
const signedBytes = 256

interface Defect {
  readonly body: Buffer
  /** Where the malformed document begins. */
  readonly start: number
  /** The documents before it, and the id of the last one. */
  readonly documents: number
  readonly last: string | undefined
}

/** Names the document of a page that is malformed, by its number and by the id of the previous one. */
function located(error: unknown, { body, start, documents, last }: Defect): unknown {
  if (!(error instanceof MalformedPage)) return error
  const id = last?.replaceAll(/\p{C}/gu, ' ').slice(0, maxIdLength).toWellFormed()
  const after = id === undefined ? '' : `, after the one with the id ${id}`
  const message = `${error.message.replace(/\.$/, '')}, in document ${documents + 1} of the page${after}.`
  // The document of a page that is cut off may be all right.
  if (error.at === body.length) return new MalformedPage(message)
  const signed = createHash('sha256').update(body.subarray(start, start + signedBytes))
  return new MalformedPage(message, { signature: signed.digest('hex').slice(0, 32) })
}

function blankLineBreaks(bytes: Buffer, start: number, end: number): void {
  for (let at = start; at < end; at++) {
    if (bytes[at] === lineFeed || bytes[at] === carriageReturn) bytes[at] = 0x20
  }
}
