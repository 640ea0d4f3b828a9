import { type FieldIndex, usualSearch } from './search-behaviour.ts'

/** Tests one document's fields. */
export type WhereCondition = (fields: Readonly<Record<string, unknown>>) => boolean

/** A `_where` that the platform cannot parse. */
export class WhereSyntaxError extends Error {
  override readonly name = 'WhereSyntaxError'
}

/**
 * Parses `_where`: `=`, `<>`, `<`, `>`, `field between A AND B` (inclusive), `field is null`, `field is not null`,
 * `AND`, `OR` and parentheses. AND binds more tightly than OR.
 */
export function parseWhere(text: string, index: FieldIndex = usualSearch.index): WhereCondition {
  const reader = new WhereReader(text, index)
  const condition = readOr(reader)
  if (!reader.isAtEnd()) throw new WhereSyntaxError(`Unexpected text: ${reader.rest()}`)
  return condition
}

function readOr(reader: WhereReader): WhereCondition {
  const alternatives = [readAnd(reader)]
  while (reader.take(/OR\b/iy)) alternatives.push(readAnd(reader))
  return (fields) => alternatives.some((one) => one(fields))
}

function readAnd(reader: WhereReader): WhereCondition {
  const terms = [readTerm(reader)]
  while (reader.take(/AND\b/iy)) terms.push(readTerm(reader))
  return (fields) => terms.every((one) => one(fields))
}

function readTerm(reader: WhereReader): WhereCondition {
  if (reader.take(/\(/y)) {
    const inner = readOr(reader)
    reader.expect(/\)/y)
    return inner
  }
  const name = reader.expect(/[\p{L}_][\p{L}\p{N}_.-]*/uy)
  const { index } = reader
  if (reader.take(/is\s+null\b/iy)) return (fields) => index.findsNulls && isNull(fields[name])
  if (reader.take(/is\s+not\s+null\b/iy)) return (fields) => !isNull(fields[name])
  if (reader.take(/between\b/iy)) {
    const from = readValue(reader)
    reader.expect(/AND\b/iy)
    const to = readValue(reader)
    return ({ [name]: value }) =>
      !isNull(value) && compare(value, from, index) >= 0 && compare(value, to, index) <= 0
  }
  const operator = reader.expect(/<>|=|<|>/y) as keyof typeof operators
  const value = readValue(reader)
  return ({ [name]: field }) => operators[operator](field, compare(field, value, index))
}

const operators = {
  '=': (_: unknown, order: number) => order === 0,
  '<>': (_: unknown, order: number) => order !== 0,
  '<': (field: unknown, order: number) => !isNull(field) && order < 0,
  '>': (field: unknown, order: number) => !isNull(field) && order > 0,
}

/** In quotes, or up to the next keyword or parenthesis. */
function readValue(reader: WhereReader): string {
  const quoted = reader.take(/"[^"]*"|'[^']*'/y)
  if (quoted !== undefined) return quoted.slice(1, -1)
  return reader.expect(/[^()\s](?:(?!\s+(?:AND|OR)\b)[^()])*/iy).trim()
}

const isNull = (value: unknown): boolean => value === null || value === undefined

const date = /^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)?)?$/

/** Numbers by value, dates as they are indexed (which is coarser than what the platform prints), the rest as text. */
export function compare(value: unknown, text: string, index: FieldIndex): number {
  if (typeof value === 'number' && Number.isFinite(Number(text))) return value - Number(text)
  const own = String(value)
  if (date.test(own) && date.test(text)) {
    const cut = (time: number) => Math.floor(time / index.unitMs) * index.unitMs
    const indexed = cut(timeOf(own) - index.zoneMinutes * 60_000)
    return indexed - (index.cutsFilters ? cut(timeOf(text)) : timeOf(text))
  }
  return own < text ? -1 : Number(own > text)
}

const offset = /T.*(Z|[+-]\d\d:?\d\d)$/

/** A time without an offset is in UTC. */
const timeOf = (text: string) => Date.parse(text.includes('T') && !offset.test(text) ? `${text}Z` : text)

class WhereReader {
  readonly index: FieldIndex
  readonly #text: string
  #at = 0

  constructor(text: string, index: FieldIndex) {
    this.index = index
    this.#text = text
    this.#skipSpace()
  }

  take(sticky: RegExp): string | undefined {
    sticky.lastIndex = this.#at
    const found = sticky.exec(this.#text)?.[0]
    if (found === undefined) return undefined
    this.#at += found.length
    this.#skipSpace()
    return found
  }

  expect(sticky: RegExp): string {
    const found = this.take(sticky)
    if (found === undefined) throw new WhereSyntaxError(`Unexpected text: ${this.rest() || 'end'}`)
    return found
  }

  isAtEnd(): boolean {
    return this.#at >= this.#text.length
  }

  rest(): string {
    return this.#text.slice(this.#at)
  }

  #skipSpace() {
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at++
  }
}
