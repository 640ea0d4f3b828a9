import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Listed, ListingPage, WantedListing } from '../../../../local/embedded/s3/listing.ts'
import { compareEntries, listingPage } from '../../../../local/embedded/s3/listing.ts'

/** Few different keys, of which many begin in the same way, with characters whose order differs in UTF-16. */
const text = (maxLength: number) =>
  fc.string({ unit: fc.constantFrom('a', 'b', '/', '-', 'é', '\uff5e', '😀'), maxLength })

const entries = fc
  .array(fc.record({ key: text(5), versionId: fc.constantFrom('1', '2', '3') }), { maxLength: 30 })
  .map((all) => [...new Map(all.map((entry) => [`${entry.key} ${entry.versionId}`, entry])).values()])
  .map((all) => all.toSorted(compareEntries))

const start: Listed = { key: '', versionId: '' }

/** Every page, from the first one. */
function pagesOf(all: readonly Listed[], wanted: Omit<WantedListing, 'after'>) {
  const pages = []
  let after: Listed | undefined = start
  while (after) {
    const page: ListingPage<Listed> = listingPage(all, { ...wanted, after })
    pages.push(page)
    after = page.next
  }
  return pages
}

describe('a listing', () => {
  it('has each entry with the prefix once, in order, whatever the size of its pages', () => {
    const sizes = fc.integer({ min: 1, max: 5 })
    fc.assert(
      fc.property(entries, text(2), sizes, (all, prefix, maxKeys) => {
        const stored = all.filter(({ key }) => key !== '')
        const pages = pagesOf(stored, { prefix, delimiter: '', maxKeys })
        const listed = pages.flatMap((page) => page.entries)
        expect(listed).toEqual(stored.filter(({ key }) => key.startsWith(prefix)))
        for (const page of pages.slice(0, -1)) expect(page.entries).toHaveLength(maxKeys)
        expect(pages.every(({ commonPrefixes }) => commonPrefixes.length === 0)).toBe(true)
      }),
    )
  })

  it('has each folder once in place of what is in it', () => {
    fc.assert(
      fc.property(entries, text(2), fc.integer({ min: 1, max: 5 }), (all, prefix, maxKeys) => {
        const stored = all.filter(({ key }) => key !== '')
        const pages = pagesOf(stored, { prefix, delimiter: '/', maxKeys })
        const below = stored.filter(({ key }) => key.startsWith(prefix))
        const rest = (entry: Listed) => entry.key.slice(prefix.length)
        const folders = below.filter((entry) => rest(entry).includes('/'))
        const names = new Set(folders.map((entry) => `${prefix}${rest(entry).split('/')[0]}/`))
        expect(pages.flatMap((page) => page.commonPrefixes)).toEqual([...names])
        expect(pages.flatMap((page) => page.entries)).toEqual(
          below.filter((entry) => !rest(entry).includes('/')),
        )
      }),
    )
  })

  it('is in the order of UTF-8, the newest version first', () => {
    const sorted = [
      { key: 'a', versionId: '2' },
      { key: 'a', versionId: '1' },
      { key: 'a/b', versionId: '1' },
      { key: '\uff5e', versionId: '1' },
      { key: '😀', versionId: '1' },
    ]
    expect(sorted.toReversed().toSorted(compareEntries)).toEqual(sorted)
  })

  it('continues after a version that was deleted since', () => {
    const all = ['5', '3', '1'].map((versionId) => ({ key: 'a', versionId }))
    const wanted = { prefix: '', delimiter: '', maxKeys: 10 }
    expect(listingPage(all, { ...wanted, after: { key: 'a', versionId: '4' } }).entries).toEqual(all.slice(1))
    expect(listingPage(all, { ...wanted, after: { key: 'a', versionId: '' } }).entries).toEqual([])
  })

  it('is empty and complete if no keys are wanted', () => {
    const all = [{ key: 'a', versionId: '1' }]
    const page = listingPage(all, { prefix: '', delimiter: '', after: start, maxKeys: 0 })
    expect(page).toEqual({ entries: [], commonPrefixes: [], next: undefined })
  })
})
