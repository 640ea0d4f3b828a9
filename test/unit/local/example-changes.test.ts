import { expect, it } from 'vitest'
import { withChanges } from '../../../local/shop/example-changes.ts'
import { makeDocuments } from '../../../local/stand-in/documents.ts'

it('the example shop gives each new customer another id, also on the next days', () => {
  let documents = makeDocuments(20, { seed: 77 })
  for (let day = 0; day < 3; day++) documents = withChanges(documents, new Date()).documents
  const ids = documents.map((bytes) => (JSON.parse(bytes.toString()) as { id: string }).id)
  expect([ids.length, new Set(ids).size]).toEqual([23, 23])
})
