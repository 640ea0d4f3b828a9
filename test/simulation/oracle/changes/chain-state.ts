import { createHash } from 'node:crypto'
import type { Rendering } from '../../../../local/stand-in/rendering.ts'
import type { Manifest } from '../../../../stored/snapshots/manifest.ts'
import { hasSameContent } from '../../platform/document-versions.ts'
import { documentPool, hasId, identityOf, lineOf } from '../../platform/documents.ts'

type Documents = ReadonlyMap<number, number>

/** What readers know after a set: documents of the pool by their identity. */
export interface ChainState {
  readonly snapshot: Documents
  readonly withheld: Documents
  /** The identities of withheld documents of which one absence counts. */
  readonly counted: ReadonlySet<number>
  readonly idField: string
  readonly ignore: readonly string[]
}

/** A published snapshot and its documents in manifest order, as indexes into the pool. */
export interface ComparedPublication {
  readonly manifest: Manifest
  readonly documents: readonly number[]
  /** Documents that the platform had during the whole run. */
  readonly present: ReadonlySet<string>
}

export interface ExpectedRecord {
  readonly op: 'c' | 'u' | 'd'
  readonly before?: number
  readonly after?: number
}

/** Of several documents with one id the last one counts. */
export const uniqueDocuments = (documents: readonly number[], idField: string): Documents =>
  new Map(documents.map((index) => [identityOf(index, idField), index]))

export const documentsOf = ({ snapshot, withheld }: Pick<ChainState, 'snapshot' | 'withheld'>): Documents =>
  new Map([...snapshot, ...withheld])

/** What the design promises of a set. Without a base it is a reset, which has no records. */
export function expectedChanges(
  base: ChainState | undefined,
  target: Documents,
  { manifest, ignore }: { readonly manifest: Manifest; readonly ignore: readonly string[] },
): { records: ExpectedRecord[]; state: Omit<ChainState, 'idField' | 'ignore'> } {
  const records: ExpectedRecord[] = []
  const withheld = new Map<number, number>()
  const counted = new Set<number>()
  const state = { snapshot: target, withheld, counted }
  if (!base) return { records, state }
  for (const [identity, after] of target) {
    const before = base.withheld.get(identity) ?? base.snapshot.get(identity)
    if (before === undefined) records.push({ op: 'c', after })
    else if (base.withheld.has(identity) || !hasSameContent(before, after, ignore))
      records.push({ op: 'u', before, after })
  }
  for (const [identity, before] of documentsOf(base)) {
    if (target.has(identity)) continue
    const known = base.counted.has(identity) ? 1 : 0
    const absences = known + absencesOf(manifest, before)
    if (absences >= 2) records.push({ op: 'd', before })
    else withheld.set(identity, before)
    if (absences === 1) counted.add(identity)
  }
  return { records, state }
}

/** How many of the two absences that a delete needs this snapshot counts for. 2 proves the delete alone. */
function absencesOf({ proof, partitionedBy }: Manifest, document: number): number {
  if (!partitionedBy) return proof === 'exact' ? 2 : 1
  const { absences, by } = partitionedBy
  if (absences === 'unknown') return 0
  return absences === 'proven' && isDated(document, by) ? 2 : 1
}

/** Whether a document of the pool has a valid date. */
function isDated(index: number, by: string): boolean {
  const value = (JSON.parse((documentPool[index] as Buffer).toString()) as Record<string, unknown>)[by]
  return typeof value === 'string' && /^[-\d]{10}(T.{5,}Z)?$/.test(value) && !Number.isNaN(Date.parse(value))
}

/** The key of the expected record that equals a line, byte for byte; undefined if none does. */
export function isRecordOf(
  line: string,
  { wanted, idField }: { readonly wanted: ReadonlyMap<string, ExpectedRecord>; readonly idField: string },
): string | undefined {
  const [, op, id = '', rest = ''] =
    /^\{"op":"([cud])","id":(.*?),("(?:before|after)":.*)\}$/s.exec(line) ?? []
  const key = [...keysOf(op ?? '', rest)].find((one) => wanted.has(one))
  const expected = key === undefined ? undefined : wanted.get(key)
  const index = expected?.after ?? expected?.before
  return index !== undefined && id === rawIdOf(index, idField) ? key : undefined
}

/** `before` and `after` are cut wherever the separator occurs: only one of the results is expected. */
function* keysOf(op: string, rest: string): Generator<string> {
  if (op === 'c') yield `c||${rest.slice('"after":'.length)}`
  if (op === 'd') yield `d|${rest.slice('"before":'.length)}|`
  if (op !== 'u') return
  const separator = ',"after":'
  for (let at = rest.indexOf(separator); at >= 0; at = rest.indexOf(separator, at + 1))
    yield `u|${rest.slice('"before":'.length, at)}|${rest.slice(at + separator.length)}`
}

/** The JSON of a document's id as sent (latin1). */
function rawIdOf(index: number, idField: string): string {
  if (!hasId(index, idField)) return 'null'
  const text = (documentPool[index] as Buffer).toString('latin1')
  const escaped = idField
    .split('')
    .map((letter) => `(?:${letter}|\\\\u00${letter.charCodeAt(0).toString(16)})`)
  const member = new RegExp(`"${escaped.join('')}":("(?:[^"\\\\]|\\\\.)*"|[-+\\d.eE]+)`, 'g')
  // Top-level members come before or after nested objects: nested ids are never the document's own.
  const own = [...text.matchAll(member)].filter((match) => depthAt(text, match.index) === 1)
  return own.at(-1)?.[1] ?? 'null'
}

function depthAt(text: string, end: number): number {
  const outside = text.slice(0, end).replaceAll(/"(?:[^"\\]|\\.)*"/g, '')
  return outside
    .split('')
    .reduce((depth, one) => depth + Number('{['.includes(one)) - Number('}]'.includes(one)), 0)
}

/** The identity of a document: the JSON of its id, decoded, or its bytes. */
function identityText(index: number, { idField, rendering }: IdentityRules): string {
  const raw = rawIdOf(index, idField)
  if (raw === 'null') return lineOf(index, rendering)
  return raw.startsWith('"') ? JSON.stringify(JSON.parse(raw)) : raw
}

export interface IdentityRules {
  readonly idField: string
  readonly rendering: Rendering
}

/** The sum modulo 2^128 of the id hashes, in hex. */
export function idSumOf(documents: readonly number[], rules: IdentityRules): string {
  const sum = documents.reduce((total, index) => total + idHash(index, rules), 0n)
  return (sum % (1n << 128n)).toString(16).padStart(32, '0')
}

const idHashes = new Map<string, bigint>()

function idHash(index: number, rules: IdentityRules): bigint {
  const key = `${index} ${rules.idField} ${rules.rendering}`
  const known = idHashes.get(key)
  if (known !== undefined) return known
  const digest = createHash('sha256').update(identityText(index, rules), 'latin1').digest('hex')
  const hash = BigInt(`0x${digest.slice(0, 32)}`)
  idHashes.set(key, hash)
  return hash
}
