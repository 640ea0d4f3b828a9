import type { Fields } from '../../stored/documents/fields.ts'
import { changedFields, fieldsOf } from '../history/record.ts'
import { type Distribution, DistributionCounter } from './distribution.ts'
import { decimalOf, ExactSum } from './exact-sum.ts'

/** How often a field changed from one value to another. JSON text; null where the field does not exist. */
interface Transition {
  readonly before: string | null
  readonly after: string | null
  readonly documents: number
}

export interface FieldSummary {
  readonly field: string
  /** In how many updated documents it changed. */
  readonly documents: number
  /** By how much, if it is a number in all of them: `+12,345`. */
  readonly sum: string | null
  /** The most frequent first; empty if there are too many to say anything. */
  readonly values: readonly Transition[]
}

/** Of documents that were created or deleted: the values that set them apart. */
interface Appeared extends Pick<Distribution, 'fields'> {
  readonly documents: number
}

export interface ChangeSummary {
  /** The fields that changed in most documents first. */
  readonly fields: readonly FieldSummary[]
  readonly created: Appeared
  readonly deleted: Appeared
}

const maxFields = 20
const maxTransitions = 50
const maxShown = 3
const maxValueLength = 60

/** Summarizes records of change sets, or documents that differ between two snapshots. */
export class ChangeSummaryCounter {
  readonly #ignored: ReadonlySet<string>
  readonly #fields = new Map<string, FieldCounter>()
  /** In which those that were created, or deleted, are missing. */
  readonly #created = new DistributionCounter()
  readonly #deleted = new DistributionCounter()

  /** `ignored`: fields that do not count. */
  constructor(ignored: ReadonlySet<string>) {
    this.#ignored = ignored
  }

  /** A document before and after; undefined where it does not exist. */
  add(before: string | undefined, after: string | undefined): void {
    if (before === undefined) this.#created.add(fieldsOf(after), true)
    else if (after === undefined) this.#deleted.add(fieldsOf(before), true)
    else this.#addUpdated(before, after)
  }

  #addUpdated(before: string, after: string): void {
    for (const { name, ...values } of changedFields(before, after, this.#ignored)) {
      const counter = this.#fields.get(name) ?? new FieldCounter()
      this.#fields.set(name, counter)
      counter.add(values.before, values.after)
    }
    this.addOther(fieldsOf(after))
  }

  /** A document that was neither created nor deleted, with which those are compared. */
  addOther(fields: Fields): void {
    this.#created.add(fields, false)
    this.#deleted.add(fields, false)
  }

  result(): ChangeSummary {
    const fields = [...this.#fields].map(([field, counter]) => ({ field, ...counter.result() }))
    return {
      fields: fields.toSorted((one, other) => other.documents - one.documents).slice(0, maxFields),
      created: appeared(this.#created),
      deleted: appeared(this.#deleted),
    }
  }
}

function appeared(counter: DistributionCounter): Appeared {
  const { missing: documents, fields } = counter.result()
  return { documents, fields }
}

class FieldCounter {
  readonly #sum = new ExactSum()
  readonly #transitions = new Map<string, { -readonly [Name in keyof Transition]: Transition[Name] }>()
  #documents = 0
  #isNumber = true

  add(before: string | null, after: string | null): void {
    this.#documents++
    const [old, current] = [decimalOf(before), decimalOf(after)]
    if (old && current) {
      this.#sum.add(current, 1n)
      this.#sum.add(old, -1n)
    } else this.#isNumber = false
    const key = `${before} ${after}`
    const known = this.#transitions.get(key)
    if (known) known.documents++
    else if (this.#transitions.size <= maxTransitions)
      this.#transitions.set(key, { before, after, documents: 1 })
  }

  result(): Omit<FieldSummary, 'field'> {
    const transitions = [...this.#transitions.values()]
    const isShort = ({ before, after }: Transition) =>
      [before, after].every((value) => (value?.length ?? 0) <= maxValueLength)
    const isTelling = transitions.length <= maxTransitions && transitions.every(isShort)
    return {
      documents: this.#documents,
      sum: this.#isNumber ? this.#sum.text() : null,
      values: isTelling
        ? transitions.toSorted((one, other) => other.documents - one.documents).slice(0, maxShown)
        : [],
    }
  }
}
