import { type Rendering, renderPage } from '../../../local/stand-in/rendering.ts'
import {
  baseOf,
  canonical,
  documentCount,
  heavyDocuments,
  heavySizes,
  ignorableField,
  isHeavy,
  isIdentical,
  plainNumber,
  twinIds,
  twins,
  versionOf,
} from './document-versions.ts'

const versionMembers: readonly ((members: readonly string[]) => readonly string[])[] = [
  (members) => members,
  (members) => members.map(respelled).toReversed(),
  (members) => [...members, '"one":1'],
  (members) => [...members, '"one":1.0'],
  (members) => [`"${ignorableField}":true`, ...members],
  // The date moves, although it should not.
  (members) => [...members.filter((member) => !member.startsWith('"createdIn"')), movedDate(members)],
]

/** Ten days later than the pool's dates. */
const movedDate = (members: readonly string[]) =>
  `"createdIn":"2024-02-0${1 + (members.join('').length % 9)}T00:00:00Z"`

/** A text in the form of a date that does not exist, so that it cannot be compared with any other. */
const noDay = '"2024-13-45T99:00:00Z"'

/** Values of a date field that are not times: most are texts that sort among the times. */
const noTimes: readonly ((created: string) => string)[] = [
  (created) => `"${created.slice(0, 13)} soon"`,
  (created) => `"${created.slice(0, 13)} later"`,
  () => noDay,
  (created) => `"${created.slice(0, 13)}"`,
  (created) => `"${created.slice(0, 13)}h"`,
  () => '12',
  (created) => `"${created.slice(0, 10)}"`,
  (created) => `"${created.slice(0, 14)}"`,
]

/** The documents that the entities of every seed consist of, by their indexes. */
export const documentPool: readonly Buffer[] = Array.from({ length: documentCount }, (_, index) =>
  Buffer.from(textOf(index)),
)

const indexes = new Map(documentPool.map((bytes, index) => [bytes, index]))

/** The index of a document of the pool. */
export function indexOf(bytes: Buffer): number {
  const index = indexes.get(bytes)
  if (index === undefined) throw new Error('The document is not from the pool.')
  return index
}

interface Lines {
  readonly texts: readonly string[]
  readonly indexes: ReadonlyMap<string, number>
}

const renderedLines = new Map<Rendering, Lines>()

/** Heavy documents are sent without white space only: the others take long to render. */
export const heavyRendering: Rendering = 'compact'

/** Renderings, each made when a seed first needs it. */
function linesOf(rendering: Rendering): Lines {
  const known = renderedLines.get(rendering)
  if (known) return known
  const sent = rendering === heavyRendering ? documentPool : documentPool.slice(0, heavyDocuments[0])
  const texts = sent.map((bytes) => renderedLine(bytes, rendering))
  const lines = { texts, indexes: new Map(texts.map((text, index) => [text, canonical(index)])) }
  renderedLines.set(rendering, lines)
  return lines
}

/** The index of the document with the bytes of this line (latin1); undefined if no such document was sent. */
export const documentOfLine = (line: string, rendering: Rendering): number | undefined =>
  linesOf(rendering).indexes.get(line)

/** The bytes of a document (latin1) as a snapshot has them. */
export const lineOf = (index: number, rendering: Rendering): string =>
  linesOf(rendering).texts[index] as string

/** CONTRACT: each CR and LF outside a string becomes a space; inside a string JSON allows none. */
function renderedLine(bytes: Buffer, rendering: Rendering): string {
  const page = renderPage([bytes], rendering).toString('latin1')
  return page.slice(page.indexOf('{'), page.lastIndexOf('}') + 1).replaceAll(/[\r\n]/g, ' ')
}

/** True if a document of the pool has an id. */
export function hasId(index: number, idField: string): boolean {
  const known = idFlags.get(idField) ?? new Map<number, boolean>()
  idFlags.set(idField, known)
  const base = baseOf(index)
  const flag = known.get(base) ?? readsId(base, idField)
  known.set(base, flag)
  return flag
}

const idFlags = new Map<string, Map<number, boolean>>()

function readsId(index: number, idField: string): boolean {
  const id = (JSON.parse(textOf(index)) as Record<string, unknown>)[idField]
  return id !== undefined && id !== null && typeof id !== 'object'
}

/** Equal for documents that have the same id, or no id and the same bytes. */
export const identityOf = (index: number, idField: string): number =>
  hasId(index, idField) ? baseOf(index) : canonical(index)

/** As a proof counts: by 64 bits of an id's hash, in which twins are equal. */
export const countedIdentity = (index: number, idField: string): number =>
  (twins as readonly number[]).includes(index) ? twins[0] : identityOf(index, idField)

function textOf(index: number): string {
  if (isIdentical(index)) return '{"country":"BR"}'
  const twin = (twins as readonly number[]).indexOf(index)
  if (twin >= 0) return `{"id":"${twinIds[twin]}","createdIn":"2024-01-05T00:00:00Z"}`
  if (isHeavy(index)) return heavyText(index)
  const base = baseOf(index)
  const plain = plainNumber(index)
  if (plain !== undefined) return `{"id":"p${plain}","createdIn":"${createdIn(plain)}"}`
  return `{${versionMembers[versionOf(index)]?.(membersOf(base)).join(',')}}`
}

function heavyText(index: number): string {
  const at = baseOf(index) - (heavyDocuments[0] as number)
  const head = `{"id":"heavy-${at}","version":${versionOf(index)},"createdIn":"${createdIn(at)}"`
  return `${head},"note":"${'heavy '.repeat((heavySizes[at] as number) / 6)}"}`
}

/** Escapes the first letter of the key. */
function respelled(member: string): string {
  const letter = /^"[a-z]/i.test(member) ? member.charCodeAt(1) : undefined
  if (letter === undefined) return member
  return `"\\u${letter.toString(16).padStart(4, '0')}${member.slice(2)}`
}

function membersOf(index: number): readonly string[] {
  const id = `d${String(index).padStart(5, '0')}`
  const created = `"createdIn":"${createdIn(index)}"`
  const noTime = index % 80 === 11 ? noTimes[Math.floor(index / 80)]?.(createdIn(index)) : undefined
  switch (index % 16) {
    case 1:
      return [
        `"id":${index}`,
        '"big":12345678901234567890.1200',
        '"small":-0.0e-0',
        '"list":[]',
        '"createdIn":null',
      ]
    case 2:
      return ['"name":"id last \\"quoted\\" \\\\"', `"nested":{"id":"${id}x"}`, created, `"id":"${id}"`]
    case 3:
      // Differs from the previous document's id by letter case only.
      return [`"id":"D${String(index - 1).padStart(5, '0')}"`, `"n":${index}`, created]
    case 4:
      return ['"no":"id"', `"number":${index}`, '"id":null', '"deep":[[[{"id":[1,{"a":{}}]}]]]']
    case 5:
      return [`"number":${index}`, '"text":"no id, ünïcödé 😀 \\ud83d\\ude00 \\u0000"']
    case 6:
      return [`"\\u0069d":"${id}"`, '"b":1', '"a":2', '"B":3']
    case 7:
      return [`"id":"\\u0064-${id}\\/"`, '"e":1E+2', '"t":true', '"f":false', '"z":null']
    case 8:
      return [`"id":"${index}"`, `"about":"the number ${index} is another id"`, '"tab":"\\t[]{},:"']
    case 9:
      return ['"a":[{"id":1},{"id":2}]', `"id":"${id}"`, '"empty":{}', '"":""']
    case 10:
      return [`"id":${index}.5e1`, `"long":"${'x'.repeat(index % 97)}"`]
    default:
      return [`"id":"${id}"`, `"number":${index}`, noTime === undefined ? created : `"createdIn":${noTime}`]
  }
}

/** Whether filters find the document in a range: not if its date cannot be compared with any other. */
export const canBeCompared = (index: number): boolean => !(documentPool[index] as Buffer).includes(noDay)

/** Two documents an hour apart each, some with the same time, with up to seven fractional digits. */
function createdIn(index: number): string {
  const seconds = new Date(Date.UTC(2024, 0, 1) + Math.floor(index / 3) * 3_600_000)
    .toISOString()
    .slice(0, 19)
  return `${seconds}.${String((index * 37) % 1e7)
    .padStart(7, '0')
    .slice(0, 1 + (index % 7))}Z`
}
