import { hash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import type { Manifest, ManifestPage } from '../../../stored/snapshots/manifest.ts'
import { idOfLine } from '../../publisher/check/identity.ts'
import { readAhead } from '../../runtime/read-ahead.ts'
import type { Column } from '../../runtime/settings-schema/columns.ts'
import { expectedValue, type FileValue, wellFormed } from './expected-value.ts'
import { compareFacts, mismatch } from './mismatch.ts'

/** A line that is no row, and the next line with its id. Pages are numbered as in the manifest of the snapshot. */
export type SupersededLine = readonly [page: number, line: number, byPage: number, byLine: number]

/** Some consecutive pages of a snapshot. */
export interface PagesOfTable {
  /** The position of the first one in the manifest. */
  readonly first: number
  readonly pages: readonly ManifestPage[]
  readonly idField: string
  readonly superseded: readonly SupersededLine[]
  /** Lines of these pages that supersede one of any page. */
  readonly superseding: readonly (readonly [page: number, line: number])[]
}

/** The lines of each page that are no rows, each with the next line of its id, by the position of the page. */
type Superseded = ReadonlyMap<number, ReadonlyMap<number, readonly [page: number, line: number]>>

/** What the file of the pages from one position to another has. */
export function pagesOfFiles(
  { pages, idField }: Pick<Manifest, 'pages' | 'idField'>,
  superseded: Superseded,
): (from: number, to: number) => PagesOfTable {
  const repeats = [...superseded].flatMap(([page, lines]) =>
    [...lines].map(([line, by]) => [page, line, ...by] as const),
  )
  const byPage = Map.groupBy(repeats, ([page]) => page)
  const byNext = Map.groupBy(repeats, ([, , page]) => page)
  return (from, to) => {
    const own = [...pages.keys()].slice(from, to)
    return {
      first: from,
      pages: pages.slice(from, to),
      idField,
      superseded: own.flatMap((page) => byPage.get(page) ?? []),
      superseding: own.flatMap(
        (page) => byNext.get(page)?.map(([, , next, line]) => [next, line] as const) ?? [],
      ),
    }
  }
}

export interface RowDocument {
  /** The JSON of its id. */
  readonly id: string | undefined
  /** Present if all values of its row are compared. */
  readonly sample: SampledDocument | undefined
}

/** Sums of hashes modulo 2^128. */
export interface Sums {
  /** Of the ids of rows, as the `idSum` of evidence. */
  ids: bigint
  /** Of each superseded line: its id and the place of the next line. Minus that of lines that supersede: zero over all pages. */
  repeats: bigint
}

/** Of so many pages of a file, so many rows are compared, and all those whose id occurs twice. */
const some = { pages: 20, lines: 100 }
const all = { pages: Number.POSITIVE_INFINITY, lines: Number.POSITIVE_INFINITY }
const samples = { some, all }
export type Sample = keyof typeof samples
const maxAhead = 4

/** Which pages are read: those with sampled rows, and those with an id that occurs twice. */
export function pagesToRead({ first, pages, superseded, superseding }: PagesOfTable): ReadonlySet<number> {
  const step = Math.ceil(pages.length / some.pages)
  const repeated = [...superseded, ...superseding].map(([page]) => page - first)
  return new Set([...[...pages.keys()].filter((index) => index % step === 0), ...repeated])
}

interface Reading {
  readonly readPage: (key: string) => Promise<Uint8Array | undefined>
  readonly sums: Sums
  readonly read: ReadonlySet<number>
  readonly sample: Sample
}

/** The documents that must be the rows of a file, in order. Undefined: of a page that is not read. */
export async function* documentsOf(
  { first, pages, idField, superseded, superseding }: PagesOfTable,
  { readPage, sums, read, sample }: Reading,
): AsyncGenerator<RowDocument | undefined> {
  const nextLines = new Map(superseded.map(([page, line, ...next]) => [`${page} ${line}`, next]))
  const repeated = new Set(superseding.map((place) => place.join(' ')))
  const step = Math.ceil(pages.length / samples[sample].pages) || 1
  const bodies = readAhead(
    [...pages.keys()],
    async (index) => (read.has(index) ? readPage(pages[index]?.key ?? '') : undefined),
    (ahead) => ahead.length < maxAhead,
  )
  let index = -1
  for (const body of bodies) {
    const unread = read.has(++index) ? 0 : (pages[index]?.documents ?? 0)
    for (let line = 0; line < unread; line++) yield undefined
    const lines = unread > 0 ? [] : linesOf(pages[index], await body)
    const stepOfLines = Math.ceil(lines.length / samples[sample].lines) || 1
    for (const [at, line] of lines.entries()) {
      const page = first + index
      const place = `${page} ${at}`
      const members = JSON.parse(line) as object
      const id = identityOf(members, line, idField)
      const idHash = hashOf(id ?? line)
      if (repeated.has(place)) sums.repeats -= BigInt(hashOf(`${idHash} ${place}`))
      const next = nextLines.get(place)
      if (next) {
        const [nextPage, nextLine] = next
        if (nextPage < page || (nextPage === page && nextLine <= at))
          throw mismatch(`Line ${at + 1} of ${pages[index]?.key} is no row; ${next.join(':')} is not later.`)
        sums.repeats += BigInt(hashOf(`${idHash} ${next.join(' ')}`))
      } else {
        sums.ids += BigInt(idHash)
        const isSampled = (index % step === 0 && at % stepOfLines === 0) || repeated.has(place)
        yield { id, sample: isSampled ? new SampledDocument(line) : undefined }
      }
    }
  }
}

function linesOf(page: ManifestPage | undefined, body: Uint8Array | undefined): string[] {
  const found = body ? hash('sha256', body) : 'no object'
  compareFacts(`The page ${page?.key}`, [['the SHA-256', found, page?.sha256]])
  const text = gunzipSync(body ?? '').toString()
  return text.trimEnd().split('\n')
}

/** The id of most documents is a string, which needs no second reading. */
function identityOf(members: object, line: string, idField: string): string | undefined {
  const id: unknown = Object.hasOwn(members, idField) ? Reflect.get(members, idField) : undefined
  return typeof id === 'string' ? JSON.stringify(id) : idOfLine(line, idField)
}

/** The first 128 bits of the SHA-256. */
export const hashOf = (text: string) => `0x${hash('sha256', text).slice(0, 32)}`

/** In the type of JSON.parse these are missing. */
const { rawJSON, isRawJSON } = JSON as unknown as {
  readonly rawJSON: (text: string) => unknown
  readonly isRawJSON: (value: unknown) => boolean
}

/** A document in which strings, numbers and booleans are the JSON that the platform sent. */
const asSent = (line: string): unknown =>
  JSON.parse(line, ((_: string, value: unknown, { source }: { readonly source?: string }) =>
    source === undefined || value === null ? value : rawJSON(source)) as Parameters<typeof JSON.parse>[1])

/** The value at a path of member names. Undefined if there is none, or null. */
function valueAt(document: unknown, path: readonly string[]): unknown {
  let value = document
  for (const name of path) {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || isRawJSON(value))
      return undefined
    value = Object.hasOwn(value, name) ? (Reflect.get(value, name) as unknown) : undefined
  }
  return value ?? undefined
}

/** A document whose values are compared with those of its row. */
class SampledDocument {
  readonly #sent: unknown
  /** Columns of `json` have no halves of surrogate pairs. */
  readonly #text: string
  readonly #wellFormed: unknown

  constructor(line: string) {
    this.#sent = asSent(line)
    this.#text = wellFormed(line)
    this.#wellFormed = this.#text === line ? this.#sent : asSent(this.#text)
  }

  gives({ from, type }: Column, stored: FileValue | null): boolean {
    const value = valueAt(type.kind === 'json' ? this.#wellFormed : this.#sent, from)
    if (value === undefined) return stored === null
    const json = JSON.stringify(value)
    if (type.kind !== 'json') return Object.is(expectedValue(json, type) ?? null, stored)
    // The JSON of objects and arrays has the white space of the line.
    return typeof stored === 'string' && this.#text.includes(stored) && withoutSpace(stored) === json
  }
}

function withoutSpace(json: string): string | undefined {
  try {
    return JSON.stringify(asSent(json))
  } catch {
    return undefined
  }
}
