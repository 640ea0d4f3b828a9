import { beforeEach, describe, expect, it } from 'vitest'
import { endedBecause } from '../../../ended-because.ts'
import { documentAt, IncrementTestbed } from './increment-testbed.ts'

const minute = 60_000
const day = 24 * 60 * minute
let testbed: IncrementTestbed
/** Requests before the increment. */
let before: number

beforeEach(async () => {
  testbed = new IncrementTestbed()
  await begin([1, 2, 3, 4])
})

/** A full set of these documents. */
async function begin(ids: readonly number[]): Promise<void> {
  testbed.documents = ids.map((id) => documentAt(id, 'first', { created: testbed.now - 10 * day }))
  await testbed.sync()
  before = testbed.targets.length
}

function create(...ids: readonly number[]): void {
  for (const id of ids) testbed.documents.push(documentAt(id, 'new', { created: testbed.now }))
}

const requests = () => testbed.targets.slice(before).map((target) => new URL(target, 'https://p'))
const scrollRequests = () => requests().filter(({ pathname }) => pathname.endsWith('/scroll'))
const openings = () => scrollRequests().filter(({ searchParams }) => !searchParams.has('_token')).length
const many = Array.from({ length: 1001 }, (_, at) => at + 10)

/** Fails the second request of each of the first scrolls, so that nobody knows its outcome. */
function failPages(scrolls: number): void {
  const failed = new Set<number>()
  testbed.respond = (_, { searchParams }) => {
    const scroll = openings()
    if (!searchParams.has('_token') || scroll > scrolls || failed.has(scroll)) return undefined
    failed.add(scroll)
    return { status: 500, headers: {}, body: Buffer.from('lost') }
  }
}

describe('the requests of an increment', () => {
  it('have the entity’s own filter, in parentheses, and that of the window', async () => {
    testbed.entity = { ...testbed.entity, query: { _where: 'value=first OR value=new' } }
    await begin([1, 2, 3, 4])
    await testbed.increment()
    const filters = requests()
      .filter(({ searchParams }) => !searchParams.has('_token'))
      .map(({ searchParams }) => searchParams.get('_where'))
    expect(filters).toHaveLength(2)
    for (const filter of filters)
      expect(filter).toMatch(
        /^\(value=first OR value=new\) AND \(\(updatedIn between \S+ AND \S+\) OR \(createdIn between \S+ AND \S+\)\)$/,
      )
  })

  it('begin with a search for what identifies and dates a document', async () => {
    await testbed.increment()
    expect(requests()[0]?.searchParams.get('_fields')).toBe('id,createdIn,updatedIn')
  })

  it('begin with the page size that full syncs have learned', async () => {
    await testbed.state.setPageSize('CL', { next: 1, configured: testbed.entity.pageSize })
    create(5)
    expect(await testbed.increment()).toMatchObject({ status: 'published', records: 1 })
    expect(scrollRequests()[0]?.searchParams.get('_size')).toBe('1')
  })
})

describe('the proof of a window', () => {
  beforeEach(() => create(5, 6, 7))

  it('fails after three scrolls with a request of unknown outcome, and the next increment covers the window', async () => {
    failPages(9)
    const { window } = testbed.chain()
    expect(await testbed.increment()).toMatchObject(
      endedBecause('failed', 'could not be proven complete after 3 attempts'),
    )
    expect(openings()).toBe(3)
    expect(testbed.chain().window).toEqual(window)
    testbed.respond = () => undefined
    expect(await testbed.increment()).toMatchObject({ status: 'published', records: 3 })
  })

  it.each(['missing', { value: 'many' }, { offBy: 700 }])(
    'is that of two scrolls that agree if totals are ignored: %j',
    async (total) => {
      testbed.entity = { ...testbed.entity, totals: 'ignore' }
      Object.assign(testbed.platform.scroll, { total })
      expect(await testbed.increment()).toMatchObject({ status: 'published', proof: 'no-total', records: 3 })
      expect(openings()).toBe(2)
      expect(testbed.set()).toMatchObject({ proof: 'no-total', records: 3 })
    },
  )
  it('shows too many changes only after the scroll if totals are ignored', async () => {
    testbed.entity = { ...testbed.entity, totals: 'ignore' }
    create(...many)
    expect(await testbed.increment()).toMatchObject(
      endedBecause('skipped', 'Too many changes: 1,004 documents'),
    )
  })
})

describe('an increment of more than 1,000 documents and 20% of the snapshot', () => {
  it('is skipped after its search', async () => {
    create(...many)
    expect(await testbed.increment()).toMatchObject({
      status: 'skipped',
      reason: "Too many changes: 1,001 documents are more than 20% of the snapshot's 4. Start a full sync.",
    })
    expect(scrollRequests()).toEqual([])
  })

  it('is skipped after the first page if the search has not shown it', async () => {
    create(...many)
    testbed.respond = (_, { pathname }) => {
      if (!pathname.endsWith('/search')) return undefined
      const date = new Date(testbed.now).toUTCString()
      return {
        status: 200,
        headers: { date, 'rest-content-range': 'resources 0-0/0' },
        body: Buffer.from('[]'),
      }
    }
    expect(await testbed.increment()).toMatchObject(endedBecause('skipped', 'Too many changes'))
    expect(scrollRequests()).toHaveLength(1)
  })
})

it.each([
  ['refuses it', 404, 'published'],
  ['does not respond in time, so that it may have opened it', 408, 'skipped'],
  ['fails, so that it may have opened it', 500, 'skipped'],
])(
  'a scroll that the platform does not open lets the next increment begin at once, or not, if the platform %s',
  async (_, status, next) => {
    testbed.respond = (_request, { pathname }) =>
      pathname.endsWith('/scroll') ? { status, headers: {}, body: Buffer.from('no') } : undefined
    expect(await testbed.increment()).toMatchObject({ status: 'failed' })
    testbed.respond = () => undefined
    expect(await testbed.increment(0)).toMatchObject({ status: next })
    expect(await testbed.increment(23 * minute)).toMatchObject({ status: 'published' })
  },
)
