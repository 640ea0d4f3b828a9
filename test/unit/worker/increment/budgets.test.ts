import { describe, expect, it } from 'vitest'
import { endMarginMs } from '../../../../functions/runtime/client-limits.ts'
import { statusResponse } from '../worker-testbed.ts'
import { IncrementTestbed } from './increment-testbed.ts'

const minute = 60_000

/** Which requests of an increment fail. */
const requests = {
  search: ({ pathname }: URL) => !pathname.endsWith('/scroll'),
  'first request of the scroll': ({ pathname, searchParams }: URL) =>
    pathname.endsWith('/scroll') && !searchParams.has('_token'),
  'later request of the scroll': ({ searchParams }: URL) => searchParams.has('_token'),
} as const

const failures = [
  statusResponse(429),
  statusResponse(429, { 'retry-after': '300' }),
  statusResponse(500),
  statusResponse(403),
  statusResponse(403, { 'retry-after': '2' }),
]

/** An increment whose worker has this long, and whose platform always fails these requests. */
async function incrementOf(of: keyof typeof requests, { failure, workerMs }: Trouble) {
  const testbed = new IncrementTestbed()
  await testbed.begin()
  for (const id of [1, 2, 3, 4]) testbed.update(id, 'second')
  testbed.now += 5 * minute
  testbed.stepMs = workerMs - minute
  testbed.respond = (_, url) => (requests[of](url) ? failure : undefined)
  const before = testbed.targets.length
  const deadline = testbed.now + workerMs - endMarginMs
  const { status } = await testbed.increment(0)
  testbed.respond = () => undefined
  return { testbed, status, requests: testbed.targets.length - before, lateMs: testbed.now - deadline }
}

interface Trouble {
  readonly failure: ReturnType<typeof statusResponse>
  readonly workerMs: number
}

/** A worker that is told to wait waits, and a platform without an answer is asked for as long as a window takes. */
const maxRequests = ({ status, headers }: Trouble['failure']) =>
  [403, 429].includes(status) || 'retry-after' in headers ? 60 : 10
/** The longest wait between two requests of a scroll. */
const maxLateMs = 10_000

describe.each(Object.keys(requests) as (keyof typeof requests)[])(
  'an increment whose %s always fails',
  (of) => {
    it.each(failures)('gives up in time, after a few requests: $status $headers', async (failure) => {
      for (const workerMs of [70_000, 14 * minute]) {
        const outcome = await incrementOf(of, { failure, workerMs })
        expect(outcome.status).toBe('failed')
        expect(outcome.requests).toBeLessThanOrEqual(maxRequests(failure))
        expect(outcome.lateMs).toBeLessThan(maxLateMs)
        const { testbed } = outcome
        expect(await testbed.increment(30 * minute)).toMatchObject({ status: 'published', records: 4 })
      }
    })
  },
)

it.each<[cause: string | undefined, of: keyof typeof requests, failure: Trouble['failure']]>([
  ['platform-away', 'search', statusResponse(503)],
  ['platform-away', 'search', { ...statusResponse(403), body: Buffer.from('<html></html>') }],
  ['platform-away', 'first request of the scroll', statusResponse(503)],
  ['platform-away', 'later request of the scroll', statusResponse(503)],
  ['credentials', 'search', statusResponse(401)],
  ['credentials', 'first request of the scroll', statusResponse(401)],
  ['credentials', 'search', statusResponse(403, { 'retry-after': '1' })],
  ['credentials', 'first request of the scroll', statusResponse(403, { 'x-ratelimit-remaining': '0' })],
  [undefined, 'later request of the scroll', statusResponse(403, { 'x-ratelimit-remaining': '0' })],
  [undefined, 'search', statusResponse(429)],
  [undefined, 'first request of the scroll', statusResponse(404)],
])('an increment that failed remembers its cause %s: its %s fails', async (cause, of, failure) => {
  const { testbed } = await incrementOf(of, { failure, workerMs: 14 * minute })
  const { increments } = await testbed.state.readEntity('CL')
  expect(increments?.last).toEqual({
    runId: expect.any(String),
    endedAt: expect.any(String),
    status: 'failed',
    reason: expect.any(String),
    ...(cause && { cause }),
  })
})

it('a scroll that took minutes and stays open keeps its slot until its last token has expired', async () => {
  const testbed = new IncrementTestbed()
  await testbed.begin()
  for (let id = 5; id <= 45; id++) testbed.create(id)
  testbed.requestMs = 50_000
  let lastAt = 0
  testbed.respond = (_, url) => {
    if (url.pathname.endsWith('/scroll')) lastAt = testbed.now
    return undefined
  }
  expect(await testbed.increment()).toMatchObject({ status: 'failed' })
  const isFreeAfter = (ms: number) => {
    testbed.now = lastAt + ms
    const times = { now: testbed.now, until: testbed.now + minute }
    return testbed.state.takeScrollSlot({ runId: 'full', range: 0 }, 1, times)
  }
  expect(await isFreeAfter(20 * minute)).toBe(false)
  expect(await isFreeAfter(23 * minute)).toBe(true)
})

it('a scroll waits as long as the platform demands, and continues with the page size that it has learned', async () => {
  const testbed = new IncrementTestbed()
  await testbed.begin()
  testbed.entity = { ...testbed.entity, pageSize: 200 }
  testbed.update(1, 'second')
  const requested: { readonly size: string | null; readonly at: number }[] = []
  testbed.respond = (_, url) => {
    if (!url.pathname.endsWith('/scroll')) return undefined
    const count = requested.push({ size: url.searchParams.get('_size'), at: testbed.now })
    if (count === 1) return statusResponse(408)
    return count === 2 ? statusResponse(429, { 'retry-after': '25' }) : undefined
  }
  expect(await testbed.increment()).toMatchObject({ status: 'published', records: 1 })
  const [first, second, third] = requested
  expect([first, second, third].map((request) => request?.size)).toEqual(['200', '100', '100'])
  expect((third?.at ?? 0) - (second?.at ?? 0)).toBe(25_000 + testbed.requestMs)
})

it('stops waiting soon after a full sync has taken the lease, and sends no further request', async () => {
  const testbed = new IncrementTestbed()
  await testbed.begin()
  testbed.update(1, 'second')
  const scrolls: number[] = []
  testbed.respond = (_, url) => {
    if (!url.pathname.endsWith('/scroll')) return undefined
    scrolls.push(testbed.now)
    void testbed.takeLease()
    return statusResponse(429, { 'retry-after': '50' })
  }
  expect(await testbed.increment()).toMatchObject({
    status: 'skipped',
    reason: 'A full sync began and has priority.',
  })
  expect(scrolls).toHaveLength(1)
  expect(testbed.now - (scrolls[0] ?? 0)).toBeLessThanOrEqual(20_000)
})

it('keeps its slot from one attempt to the next, and releases it when its window is proven', async () => {
  const testbed = new IncrementTestbed()
  await testbed.begin()
  for (const id of [1, 2, 3, 4]) testbed.update(id, 'second')
  const takesSlot = () => {
    const times = { now: testbed.now, until: testbed.now + minute }
    return testbed.state.takeScrollSlot({ runId: 'full', range: 0 }, 1, times)
  }
  const isFree: Promise<boolean>[] = []
  // Nobody knows whether the platform has moved the cursor.
  let lost = 0
  testbed.respond = (_, url) => {
    if (url.pathname.endsWith('/scroll')) isFree.push(takesSlot())
    return requests['later request of the scroll'](url) && lost++ === 0 ? statusResponse(500) : undefined
  }
  expect(await testbed.increment()).toMatchObject({ status: 'published', records: 4 })
  expect(new Set(await Promise.all(isFree))).toEqual(new Set([false]))
  expect(await takesSlot()).toBe(true)
})
