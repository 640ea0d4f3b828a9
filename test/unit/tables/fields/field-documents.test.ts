import { expect, it } from 'vitest'
import { FieldDocuments, minDocuments } from '../../../../functions/tables/fields/field-documents.ts'

/** The documents that have these numbers, of one type. */
function documentsOf(...numbers: readonly number[]): FieldDocuments {
  const documents = new FieldDocuments()
  for (const number of numbers) documents.add(0, number)
  return documents
}

it('count each document once that is added after another part of the path', () => {
  const documents = documentsOf(9)
  documents.addAll(documentsOf(8, 10).lists())
  documents.add(0, 10)
  documents.add(0, 11)
  expect(documents.lists()[0]).toEqual([8, 9, 10, 11])
})

it('are the first ones', () => {
  const numbers = Array.from({ length: 2 * minDocuments }, (_, index) => index)
  const documents = documentsOf(...numbers.slice(5))
  documents.addAll(documentsOf(...numbers).lists())
  expect(documents.lists()[0]).toEqual(numbers.slice(0, minDocuments))
})
