import { closeBrace, colon, comma, openBrace, openBracket, quote } from '../../documents/json-bytes.ts'
import { containerEnd, malformed, whiteSpaceEnd } from '../../documents/json-scalars.ts'
import { DocumentRecord, kinds } from './document-record.ts'
import type { FieldTree } from './field-tree.ts'
import type { FoundValues } from './found-values.ts'
import { MemberFinder } from './member-finder.ts'
import { ScalarReader } from './scalar-reader.ts'
import { StringText } from './string-text.ts'

/**
 * Goes once through the bytes of a document, finds the values of columns, and records what the schema report counts. It
 * reads documents that `splitPage` has validated, so it checks no more than it needs to find its way, to any depth.
 */
export class DocumentWalker {
  readonly #tree: FieldTree
  readonly #found: FoundValues
  readonly #record = new DocumentRecord()
  readonly #string = new StringText()
  readonly #scalars = new ScalarReader(this.#record, this.#string)
  readonly #members: MemberFinder

  constructor(tree: FieldTree, found: FoundValues) {
    this.#tree = tree
    this.#found = found
    this.#members = new MemberFinder(tree, this.#record, this.#string)
  }

  /** Reads a document. Throws `MalformedPage` if it is not one, and then counts nothing. */
  walk(text: Buffer, start: number, end: number): void {
    if (text[start] !== openBrace) throw malformed(start, 'expected a document')
    const members = this.#members
    this.#string.open(text)
    this.#record.clear()
    this.#found.clear()
    members.openDocument(start)
    let at = start + 1
    for (;;) {
      at = whiteSpaceEnd(text, at)
      if (at >= end) throw malformed(end, 'expected the end of the document')
      const byte = text[at]
      if (byte === quote) {
        at = whiteSpaceEnd(text, members.find(text, at + 1, end))
        if (text[at] !== colon) throw malformed(at, 'expected a colon')
        at = this.#readValue(text, whiteSpaceEnd(text, at + 1), end)
      } else if (byte === comma) {
        at++
      } else if (byte === closeBrace) {
        at++
        const { columns, start } = members.closeObject()
        if (columns) this.#found.set(columns, start, at)
        if (members.isOutside) break
      } else throw malformed(at, 'expected a member')
    }
    this.#record.count(members.document)
    if (this.#record.isFull) this.#tree.isTruncated = true
    this.#tree.prune()
  }

  /** Returns where the value ends, or where the members of an object begin. */
  #readValue(text: Buffer, start: number, end: number): number {
    const { field, columns } = this.#members
    const byte = text[start]
    if (columns) this.#found.clearBelow(columns)
    if (byte === openBrace) {
      this.#members.openObject(start)
      return start + 1
    }
    let at: number
    if (byte === quote) {
      this.#string.read(text, start + 1, end)
      this.#scalars.recordString(field, text, start + 1)
      at = this.#string.end + 1
      if (columns) this.#found.setEscaped(columns, this.#string.isEscaped)
    } else if (byte === openBracket) {
      this.#record.add(field, kinds.array, 0)
      at = containerEnd(text, start, end)
    } else {
      at = this.#scalars.read(field, text, start)
    }
    if (columns) this.#found.set(columns, start, at)
    return at
  }
}
