import { idHashOf } from '../../stored/chain/delivered-versions.ts'
import { identify } from '../../stored/chain/record.ts'
import { fingerprintBytes, writeFingerprint } from '../../stored/documents/fingerprint.ts'
import { decoded } from '../../stored/documents/json-scalars.ts'
import { PageLines } from '../../stored/documents/stored-lines.ts'
import { UniqueCount } from '../../stored/documents/unique-count.ts'
import type { FieldComparison, FieldCondition, ObjectLines } from '../history/condition.ts'
import { compareField, documentsIn, pathsIn } from '../history/condition.ts'
import { identitiesOf } from '../history/find-document.ts'
import { formOf } from '../text/form.ts'

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
function addDocument(person: Person, document: Buffer, idFields: readonly string[]): void {
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

/** What a search tells of documents that are not the person's. */
export interface Noticed {
  /** Documents that have the field at all; of a search for an id, those without an id, which only `--where` finds. */
  readonly counted: number
  /** The values of documents that have the wanted one only in another form, one of each document. */
  readonly otherForms: readonly string[]
  /** Fields of documents that do not have the wanted one. */
  readonly fields: readonly string[]
}

/** Documents whose fields are listed. */
const maxListed = 1_000

/** Compares every document with what is wanted, and adds to the person those that have the value of a field. */
export function openNotice(wanted: Wanted, person: Person, idFields: readonly string[]) {
  const compare = comparisonOf(wanted)
  const counted = new UniqueCount()
  const exact = new Set<string>()
  const otherForms = new Map<string, string>()
  const fields = new Set<string>()
  let listed = 0
  return {
    /** Throws if the lines are malformed. */
    add(stored: ObjectLines): void {
      const fingerprints: Buffer[] = []
      for (const document of documentsIn(stored)) {
        const identities = idFields.map((idField) => identify(document, Buffer.from(idField)).identity)
        const [identity = document] = identities
        const { result, found = '' } = compare(document, identities)
        if (result === 'equal') exact.add(idHashOf(identity))
        if (result === 'other-form') otherForms.set(idHashOf(identity), found)
        if (
          wanted.by === 'where' &&
          (result === 'equal' || (result === 'other-form' && wanted.forms === 'any'))
        )
          addDocument(person, document, idFields)
        if (result === 'no-field' && listed++ < maxListed)
          for (const path of pathsIn(document)) fields.add(path)
        if ((result === 'no-field') === (wanted.by === 'id')) fingerprints.push(fingerprintOf(identity))
      }
      counted.addPage(Buffer.concat(fingerprints))
    },

    result: (): Noticed => ({
      counted: counted.result().unique,
      otherForms: [...otherForms].flatMap(([hash, found]) => (exact.has(hash) ? [] : [found])),
      fields: [...fields],
    }),

    [Symbol.dispose]: () => counted[Symbol.dispose](),
  }
}

type Identity = ReturnType<typeof identify>['identity']

/** A document without an id has no field that compares with an id. */
function comparisonOf(
  wanted: Wanted,
): (document: Buffer, identities: readonly Identity[]) => FieldComparison {
  if (wanted.by === 'where') return (document) => compareField(document, wanted.condition)
  const [sought, form] = [identitiesOf(wanted.id), formOf(wanted.id)]
  return (_, identities) => {
    const ids = identities.filter((identity) => typeof identity === 'string')
    if (ids.some((id) => sought.includes(id))) return { result: 'equal' }
    const found = ids.map((id) => (id.startsWith('"') ? decoded(id) : id)).find((id) => formOf(id) === form)
    if (found !== undefined) return { result: 'other-form', found }
    return { result: ids.length > 0 ? 'different' : 'no-field' }
  }
}

function fingerprintOf(identity: Identity): Buffer {
  const fingerprint = Buffer.alloc(fingerprintBytes)
  writeFingerprint(identity, fingerprint, 0)
  return fingerprint
}
