import { idHashOf } from '../../stored/chain/delivered-versions.ts'
import { identify } from '../../stored/chain/record.ts'
import { fingerprintBytes, writeFingerprint } from '../../stored/documents/fingerprint.ts'
import { decoded } from '../../stored/documents/json-scalars.ts'
import { UniqueCount } from '../../stored/documents/unique-count.ts'
import { compareField, type FieldComparison, pathsIn } from '../history/condition.ts'
import { documentsIn, type ObjectLines } from '../history/documents-with.ts'
import { identitiesOf } from '../history/find-document.ts'
import { formOf } from '../text/form.ts'
import { addDocument, type Person, type Wanted } from './person.ts'

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
