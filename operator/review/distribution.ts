import type { Fields } from '../../stored/documents/fields.ts'
import { epochMicroseconds } from '../../stored/documents/iso-8601.ts'

/** How many documents have a value, and how many of them are missing. */
export interface Share {
  /** JSON text of the value, or a month such as `2026-03`. */
  readonly value: string
  readonly before: number
  readonly missing: number
}

export interface FieldDistribution {
  readonly field: string
  /** The values of which most documents are missing come first. */
  readonly values: readonly Share[]
}

/** How the missing documents are distributed: a whole country is missing, or a few of everything. */
export interface Distribution {
  /** Documents, and how many of them are missing. */
  readonly before: number
  readonly missing: number
  /** By month of `createdIn`, oldest first; empty without such dates. */
  readonly months: readonly Share[]
  /** The fields whose values differ most in how many of their documents are missing. */
  readonly fields: readonly FieldDistribution[]
}

/** A field with more values than this identifies documents. It shows nothing that they have in common. */
const maxValues = 50
const maxValueLength = 60
const maxFields = 3
/** Below it, the shares differ by chance. */
const minDifference = 0.1
const maxShownValues = 5

type Counts = Map<string, { before: number; missing: number }>

/** Counts the values of the documents of a snapshot, and those of the documents that are missing. */
export class DistributionCounter {
  readonly #months: Counts = new Map()
  /** Undefined for a field with too many values. */
  readonly #fields = new Map<string, Counts | undefined>()
  #before = 0
  #missing = 0

  add(fields: Fields, isMissing: boolean): void {
    this.#before++
    if (isMissing) this.#missing++
    const createdAt = epochMicroseconds(fields.get('createdIn')?.slice(1, -1) ?? '')
    if (createdAt !== undefined) count(this.#months, monthOf(createdAt), isMissing)
    for (const [name, value] of fields) this.#addValue(name, value, isMissing)
  }

  result(): Distribution {
    const months = sharesOf(this.#months).toSorted((a, b) => (a.value < b.value ? -1 : 1))
    const fields = [...this.#fields]
      .flatMap(([field, counts]) => (counts && counts.size > 1 ? { field, counts } : []))
      .map(({ field, counts }) => ({ field, values: sharesOf(counts) }))
      .map((field) => ({ ...field, difference: this.#differenceOf(field) }))
      .filter(({ difference }) => difference >= minDifference)
      .toSorted((a, b) => b.difference - a.difference)
      .slice(0, maxFields)
    return {
      before: this.#before,
      missing: this.#missing,
      months,
      fields: fields.map(({ field, values }) => ({
        field,
        values: values.toSorted((a, b) => b.missing - a.missing).slice(0, maxShownValues),
      })),
    }
  }

  #addValue(name: string, value: string, isMissing: boolean): void {
    const counts = this.#fields.has(name) ? this.#fields.get(name) : new Map()
    const isCountable = value.length <= maxValueLength && !value.startsWith('{') && !value.startsWith('[')
    const isTooMuch = !isCountable || (counts && counts.size >= maxValues && !counts.has(value))
    this.#fields.set(name, isTooMuch ? undefined : counts)
    if (counts && !isTooMuch) count(counts, value, isMissing)
  }

  /** 0 if each value lost the same share of its documents, up to 2 if all lost documents have values that lost all. */
  #differenceOf({ values }: FieldDistribution): number {
    const rate = this.#missing / this.#before
    const differences = values.map(({ before, missing }) => Math.abs(missing - before * rate))
    return this.#missing === 0 ? 0 : differences.reduce((sum, one) => sum + one, 0) / this.#missing
  }
}

function count(counts: Counts, value: string, isMissing: boolean): void {
  const known = counts.get(value) ?? { before: 0, missing: 0 }
  counts.set(value, { before: known.before + 1, missing: known.missing + (isMissing ? 1 : 0) })
}

const sharesOf = (counts: Counts): Share[] => [...counts].map(([value, share]) => ({ value, ...share }))

const monthOf = (timeUs: number) => new Date(timeUs / 1000).toISOString().slice(0, 'yyyy-mm'.length)
