import { isDeepStrictEqual } from 'node:util'
import type { TableColumn, TableLatest } from '../../../stored/tables/table.ts'

/** What each field id of a table has meant. An id never means anything else. */
export class FieldIds {
  readonly #meanings = new Map<number, { readonly name: string; readonly column: TableColumn }>()
  #previous: TableLatest['columns'] = {}

  /** Returns what is wrong with the ids of a commit. */
  committed(columns: TableLatest['columns']): string | undefined {
    const previous = this.#previous
    this.#previous = columns
    for (const [name, column] of Object.entries(columns)) {
      const before = previous[name]
      if (before && continues(before, column) !== (before.id === column.id))
        return `${name} was ${JSON.stringify(before)} and is ${JSON.stringify(column)}`
      const meaning = this.#meanings.get(column.id)
      const isNew = before?.id !== column.id
      if (meaning && (isNew || meaning.name !== name))
        return `the id of ${name}, ${column.id}, was that of ${meaning.name}`
      this.#meanings.set(column.id, { name, column })
    }
    return undefined
  }
}

/** The scenarios promote no other type. */
function continues(before: TableColumn, after: TableColumn): boolean {
  const isPromotion = before.type === 'int' && after.type === 'long'
  return isDeepStrictEqual(before.from, after.from) && (before.type === after.type || isPromotion)
}
