import { idHashOf } from '../../stored/chain/delivered-versions.ts'
import { identify } from '../../stored/chain/record.ts'
import { PageLines } from '../../stored/documents/stored-lines.ts'
import type { FieldCondition } from '../history/condition.ts'
import { documentsIn, type ObjectLines } from '../history/documents-with.ts'
import { identitiesOf } from '../history/find-document.ts'

/** Whose documents are erased: one id, or every document that ever had a value in a field. */
export type Wanted =
  | { readonly by: 'id'; readonly id: string }
  /** `forms`: whether a value counts that differs only in letter case, white space or Unicode form. */
  | { readonly by: 'where'; readonly condition: FieldCondition; readonly forms: 'exact' | 'any' }

/** The documents of a person, by what identifies them. */
export interface Person {
  /** The ids as the platform sent them. */
  readonly ids: Set<string>
  /** The canonical JSON of the ids. */
  readonly identities: Set<string>
  /** Hashes of all identities, and of the bytes of documents that a field does not identify. */
  readonly hashes: Set<string>
  /** Hashes of the bytes of these. */
  readonly byBytes: Set<string>
  /** Hashes of the bytes of documents that no field identifies. */
  readonly withoutId: Set<string>
}

export const nobody = (): Person => ({
  ids: new Set(),
  identities: new Set(),
  hashes: new Set(),
  byBytes: new Set(),
  withoutId: new Set(),
})

export function personWithId(id: string): Person {
  const identities = identitiesOf(id)
  return {
    ...nobody(),
    ids: new Set([JSON.stringify(id)]),
    identities: new Set(identities),
    hashes: new Set(identities.map(idHashOf)),
  }
}

/** Adds a document, by each field that identifies documents. */
export function addDocument(person: Person, document: Buffer, idFields: readonly string[]): void {
  const identified = idFields.map((idField) => identify(document, Buffer.from(idField)))
  for (const { id, identity } of identified) {
    const hash = idHashOf(identity)
    person.hashes.add(hash)
    if (typeof identity !== 'string') {
      person.byBytes.add(hash)
      continue
    }
    person.identities.add(identity)
    person.ids.add(Buffer.from(id).toString())
  }
  if (identified.every(({ identity }) => typeof identity !== 'string'))
    person.withoutId.add(idHashOf(document))
}

/** Whether one of these lines contains a document of the person. Throws if they are malformed. */
export function hasPerson(stored: ObjectLines, person: Person, idFields: readonly string[]): boolean {
  const { holds, lines } = stored
  if (holds === 'documents') return idFields.some((idField) => hasDocument(lines, person, idField))
  return (
    hasDocument(lines, person, 'id') ||
    (person.byBytes.size > 0 &&
      [...documentsIn(stored)].some((document) =>
        idFields.some((idField) => hasDocument(document, person, idField)),
      ))
  )
}

function hasDocument(lines: Buffer, { identities, byBytes }: Person, idField: string) {
  const documents = new PageLines(lines, Buffer.from(idField))
  while (documents.next()) {
    const identity = documents.identity()
    if (
      typeof identity === 'string'
        ? identities.has(identity)
        : byBytes.size > 0 && byBytes.has(idHashOf(identity))
    )
      return true
  }
  return false
}
