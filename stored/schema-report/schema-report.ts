import { withoutLoneSurrogates } from '../documents/lone-surrogates.ts'
import { type DocumentCounts, type Field, presentOf, type ValueType } from './field.ts'
import { FieldTree } from './field-tree.ts'
import { type ParsedDocument, parseSent } from './json-value.ts'
import { addPart, partOf, type ReportPart } from './report-part.ts'

/** Which fields the documents of a snapshot have: `snapshots/<entity>/<runId>/schema.json`. It contains no values. */
export interface SchemaReport {
  readonly version: 1
  readonly entity: string
  readonly runId: string
  readonly documents: number
  /** Documents that contain half of a surrogate pair, which many readers refuse. Absent in reports of earlier versions. */
  readonly loneSurrogates?: number
  /** By the names of their paths, each before its members. */
  readonly fields: readonly ReportedField[]
  /** Whether the documents have more fields than the report lists. */
  readonly truncated: boolean
}

/** What the documents have at a path. Below a map, every member of every map counts. */
export interface ReportedField {
  /** Names separated by dots; `*` is any member of a map. A dot in a name is `\.`, a name that is an asterisk `\*`. */
  readonly path: string
  /** How many have a value, including null. */
  readonly present: number
  readonly null: number
  readonly types: Readonly<Record<ValueType, number>>
  /** Strings that a column of type `timestamp` accepts. */
  readonly timestamps: number
  /** Bytes of the longest string as the platform sent it, without its quotes. */
  readonly maxLength: number
  /** Digits that a decimal column needs to store each of the numbers exactly. */
  readonly maxDigits: number
  /** Those of them that are after the point. */
  readonly maxScale: number
  /** Only below a map, where a document can have many values. */
  readonly documents?: DocumentCounts
}

/** Earlier versions took documents with more than 200 fields for maps, and their report says nothing about these fields. */
export const isDocumentMap = ({ fields }: SchemaReport): boolean => fields.some(({ path }) => path === '*')

const maxFields = 2000
/** Only nested names of extreme length reach it. */
const maxPathCharacters = 1_000_000

/** Collects what the documents of a part of a snapshot have. */
export class SchemaReportBuilder {
  readonly #tree = new FieldTree()
  #documents = 0
  #loneSurrogates = 0

  add(document: Buffer): ParsedDocument {
    const parsed = parseSent(document)
    this.#documents++
    if (withoutLoneSurrogates(parsed.json) !== parsed.json) this.#loneSurrogates++
    this.#tree.count(parsed.members, this.#documents)
    return parsed
  }

  finish(): ReportPart {
    return partOf(this.#tree, { documents: this.#documents, loneSurrogates: this.#loneSurrogates })
  }
}

/** The report of all documents of a snapshot, from the reports of its chunks in any order. */
export function mergeReports(
  parts: Iterable<ReportPart>,
  { entity, runId }: { readonly entity: string; readonly runId: string },
): SchemaReport {
  const tree = new FieldTree()
  let documents = 0
  let loneSurrogates = 0
  for (const part of parts) {
    addPart(tree, part, documents)
    documents += part.documents
    loneSurrogates += part.loneSurrogates ?? 0
  }
  const { fields, truncated } = firstFields(tree)
  return { version: 1, entity, runId, documents, loneSurrogates, fields, truncated }
}

function firstFields(tree: FieldTree): Pick<SchemaReport, 'fields' | 'truncated'> {
  const paths = new Map<Field, string>()
  const belowMap = new Set<Field>()
  const fields: ReportedField[] = []
  let characters = 0
  for (const { field, parent } of tree.inOrder()) {
    const present = presentOf(field.counts)
    // A later member of the same name has replaced every value that was there.
    if (present === 0) continue
    const before = paths.get(parent)
    const path = before === undefined ? pathName(field.name) : `${before}.${pathName(field.name)}`
    characters += path.length
    if (fields.length === maxFields || characters > maxPathCharacters) return { fields, truncated: true }
    paths.set(field, path)
    if (field.name === undefined || belowMap.has(parent)) belowMap.add(field)
    const { null: nulls, timestamps, maxLength, maxDigits, maxScale, ...types } = field.counts
    const measures = { timestamps, maxLength, maxDigits, maxScale }
    const documents = belowMap.has(field) && { documents: field.documents.counts() }
    fields.push({ path, present, null: nulls, types, ...measures, ...documents })
  }
  return { fields, truncated: tree.isTruncated }
}

function pathName(name: string | undefined): string {
  if (name === undefined) return '*'
  return name === '*' ? '\\*' : name.replaceAll('.', '\\.')
}
