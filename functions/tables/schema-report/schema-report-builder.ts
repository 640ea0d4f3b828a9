import { hasLoneSurrogate } from '../../documents/lone-surrogates.ts'
import { ColumnPaths } from '../fields/column-paths.ts'
import { DocumentWalker } from '../fields/document-walker.ts'
import { FieldTree } from '../fields/field-tree.ts'
import { FoundValues } from '../fields/found-values.ts'
import { partOf, type ReportPart } from './report-part.ts'

/** Collects what the documents of a part of a snapshot have, and finds the values of columns in the same pass. */
export class SchemaReportBuilder {
  /** The values of the columns in the last document. */
  readonly found: FoundValues
  readonly #tree: FieldTree
  readonly #walker: DocumentWalker
  #documents = 0
  #loneSurrogates = 0

  /** Takes the paths of the columns in their order: the names of the members that lead to the value. */
  constructor(paths: readonly (readonly string[])[] = []) {
    this.found = new FoundValues(paths.length)
    this.#tree = new FieldTree(ColumnPaths.of(paths))
    this.#walker = new DocumentWalker(this.#tree, this.found)
  }

  /** Adds the document from `start` to `end`. Throws `MalformedPage` if it is not one, and then adds nothing. */
  add(text: Buffer, start = 0, end = text.length): void {
    this.#walker.walk(text, start, end)
    this.#documents++
    if (hasLoneSurrogate(text.subarray(start, end))) this.#loneSurrogates++
  }

  finish(): ReportPart {
    return partOf(this.#tree, { documents: this.#documents, loneSurrogates: this.#loneSurrogates })
  }
}
