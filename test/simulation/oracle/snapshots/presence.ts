import { versionOf } from '../../platform/document-versions.ts'
import { identityOf } from '../../platform/documents.ts'

/** The version of a document whose date has moved, which takes it to another range. */
const movedVersion = 5
/** Ends the name of such a document. */
export const movedName = ' moved'

/** The documents that are in each of the states of a collection, by their identity and the range of their date. */
export function documentsPresentIn(
  states: readonly (readonly number[])[],
  idField: string,
): ReadonlySet<string> {
  const [first = [], ...others] = states.map((indexes) => new Set(indexes.map(nameIn(idField))))
  return new Set([...first].filter((name) => others.every((names) => names.has(name))))
}

export const nameIn = (idField: string) => (index: number) =>
  `${identityOf(index, idField)}${versionOf(index) === movedVersion ? movedName : ''}`
