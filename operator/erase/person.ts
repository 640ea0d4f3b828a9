import { idHashOf } from '../../functions/chain/delivered-versions.ts'
import { identify } from '../../functions/chain/record.ts'
import { StoredLines } from '../../functions/documents/stored-lines.ts'
import type { Condition } from '../history/condition.ts'
import { documentsOfRecord, documentsWith, type ObjectLines } from '../history/documents-with.ts'
import { identitiesOf } from '../history/find-document.ts'
import { splitLines } from '../snapshot/lines.ts'

/** Whose documents are erased: one id, or every document that ever had a value in a field. */
export type Wanted =
  | { readonly by: 'id'; readonly id: string }
  | { readonly by: 'where'; readonly condition: Condition }

/** The documents of a person, by what identifies them. */
export interface Person {
  /** The ids as the platform sent them; `null` of documents without one. */
  readonly ids: Set<string>
  /** The canonical JSON of the ids. */
  readonly identities: Set<string>
  /** Hashes of all identities, and of the bytes of documents without an id. */
  readonly hashes: Set<string>
  hasDocumentsWithoutId: boolean
}

export function personWithId(id: string): Person {
  const identities = identitiesOf(id)
  return {
    ids: new Set([JSON.stringify(id)]),
    identities: new Set(identities),
    hashes: new Set(identities.map(idHashOf)),
    hasDocumentsWithoutId: false,
  }
}

export const nobody = (): Person => ({
  ids: new Set(),
  identities: new Set(),
  hashes: new Set(),
  hasDocumentsWithoutId: false,
})

/** Adds the documents of these lines that fulfil a condition. Throws if they are malformed. */
export function addDocuments(
  person: Person,
  stored: ObjectLines,
  { condition, idFields }: { readonly condition: Condition; readonly idFields: readonly string[] },
): void {
  for (const document of documentsWith(stored, condition))
    for (const idField of idFields) {
      const { id, identity } = identify(document, Buffer.from(idField))
      person.ids.add(Buffer.from(id).toString())
      person.hashes.add(idHashOf(identity))
      if (typeof identity === 'string') person.identities.add(identity)
      else person.hasDocumentsWithoutId = true
    }
}

/** Whether one of these lines contains a document of the person. Throws if they are malformed. */
export function hasPerson(
  { holds, lines }: ObjectLines,
  person: Person,
  idFields: readonly string[],
): boolean {
  if (holds === 'documents') return idFields.some((idField) => hasDocument(lines, person, idField))
  return (
    hasDocument(lines, person, 'id') ||
    (person.hasDocumentsWithoutId &&
      [...splitLines(lines)]
        .flatMap(documentsOfRecord)
        .some((document) => idFields.some((idField) => hasDocument(document, person, idField))))
  )
}

function hasDocument(lines: Buffer, { identities, hashes, hasDocumentsWithoutId }: Person, idField: string) {
  const documents = new StoredLines(lines, Buffer.from(idField))
  while (documents.next()) {
    const identity = documents.identity()
    if (
      typeof identity === 'string'
        ? identities.has(identity)
        : hasDocumentsWithoutId && hashes.has(idHashOf(identity))
    )
      return true
  }
  return false
}
