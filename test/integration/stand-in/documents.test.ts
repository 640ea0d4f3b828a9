import { describe, expect, it } from 'vitest'
import { makeDocument, makeDocuments } from '../../../local/stand-in/documents.ts'

describe('documents', () => {
  it('are the same for the same seed, with the requested size and unique ids', () => {
    const made = makeDocuments(500)
    expect(made).toEqual(makeDocuments(500))
    expect(made[7]).not.toEqual(makeDocument(7, { seed: 2 }))
    expect(new Set(made.map((bytes) => bytes.length))).toEqual(new Set([1024]))
    expect(new Set(made.map((bytes) => (JSON.parse(String(bytes)) as { id: string }).id)).size).toBe(500)
  })

  it('can have ids that differ by letter case only', () => {
    const ids = makeDocuments(4, { caseTwins: true }).map(
      (bytes) => (JSON.parse(String(bytes)) as { id: string }).id,
    )
    expect(new Set(ids).size).toBe(4)
    expect(new Set(ids.map((id) => id.toLowerCase())).size).toBe(2)
  })
})
