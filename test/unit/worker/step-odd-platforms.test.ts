import { beforeEach, describe, expect, it } from 'vitest'
import { endedBecause } from '../../ended-because.ts'
import { statusResponse, WorkerTestbed } from './worker-testbed.ts'

let testbed: WorkerTestbed

beforeEach(() => {
  testbed = new WorkerTestbed()
})

const ids = (count: number) => Array.from({ length: count }, (_, id) => `{"id":${id}}`)

/**
 * A platform without totals whose tokens name the place. `instead` responds to a request by its place, which it may
 * forget afterwards.
 */
function serve(count: number, instead: (at: number) => ReturnType<typeof statusResponse> | undefined) {
  const size = testbed.entity.pageSize
  testbed.respond = (_, url) => {
    const at = Number(url.searchParams.get('_token') ?? 0)
    const other = instead(at)
    if (other) return other
    const page = ids(count).slice(at, at + size)
    const headers = { 'x-svc-md-token': String(at + size) }
    return { status: 200, headers, body: Buffer.from(page.length > 0 ? `[${page.join(',')}]` : '') }
  }
}

const end = () => ({ status: 200, headers: {}, body: Buffer.alloc(0) })

describe('a platform without totals', () => {
  it('that loses its place and then refuses the token publishes no part of an entity', async () => {
    // The third page is empty, and the token is not known any more.
    let lost = 0
    serve(10, (at) => (at === 4 && lost < 4 ? (++lost % 2 === 1 ? end() : statusResponse(400)) : undefined))
    expect(await testbed.stepToEnd()).toMatchObject({ status: 'published', proof: 'no-total' })
    // Nothing was published to compare the first attempt with, and the second one agreed with it.
    expect((await testbed.snapshots.readLatest('CL'))?.value.documents).toBe(4)
    testbed.now += 86_400_000
    lost = 0
    serve(10, () => undefined)
    await testbed.stepToEnd(testbed.next())
    expect((await testbed.snapshots.readLatest('CL'))?.value.documents).toBe(10)
    testbed.now += 86_400_000
    serve(10, (at) => (at === 4 && lost < 2 ? (++lost === 1 ? end() : statusResponse(400)) : undefined))
    expect(await testbed.stepToEnd(testbed.next())).toMatchObject({ status: 'published', attempt: 2 })
    expect((await testbed.snapshots.readLatest('CL'))?.value.documents).toBe(10)
  })
})

it('a platform whose load balancer expects its cookies is scrolled by several workers', async () => {
  serve(10, () => undefined)
  const { respond } = testbed
  testbed.respond = (request, url, headers) => {
    const at = url.searchParams.get('_token')
    const token = Number(at ?? 0) + testbed.entity.pageSize
    const isKnown = headers['Cookie'] === (at === null ? undefined : `lb=${at}; node="7"`)
    const response = isKnown ? respond(request, url, headers) : statusResponse(400)
    const cookies = [
      `lb=${token}; Path=/; Secure`,
      'node="7"; HttpOnly',
      'old=1',
      'old=; Expires=Thu, 01 Jan 1970 00:00:00 GMT',
    ]
    return response && { ...response, headers: { ...response.headers, 'set-cookie': cookies } }
  }
  testbed.stepMs = 1
  expect(await testbed.stepToEnd(testbed.next())).toMatchObject({ status: 'published', attempt: 1 })
  expect(testbed.logged('worker handed off').length + testbed.targets.length).toBeGreaterThan(6)
})

describe('an entity whose totals are ignored', () => {
  /** A platform whose totals are this text, and which has 25 documents. */
  function report(total: string) {
    testbed.entity = { ...testbed.entity, pageSize: 10, totals: 'ignore' }
    serve(25, () => undefined)
    const respond = testbed.respond
    testbed.respond = (...sent) => {
      const response = respond(...sent)
      return response && { ...response, headers: { ...response.headers, 'rest-content-total': total } }
    }
  }

  it.each(['10', '300', '0', 'many', '25'])(
    'is proven as if the platform reported none: %s',
    async (total) => {
      report(total)
      expect(await testbed.stepToEnd()).toMatchObject({
        status: 'published',
        proof: 'no-total',
        documents: 25,
        total: null,
        attempt: 1,
      })
      // Three pages, the end, and the end once more.
      expect(testbed.targets).toHaveLength(5)
    },
  )

  it('fails with the settings for it in the reason while totals are checked', async () => {
    report('10')
    testbed.entity = { ...testbed.entity, totals: 'check' }
    expect(await testbed.stepToEnd()).toMatchObject(
      endedBecause(
        'failed',
        /Another attempt found the same number, so the total may be wrong, or documents may share ids: see totalTolerancePercent, totals and idField\.$/,
      ),
    )
  })
})

describe('a malformed document', () => {
  const bad = '{"id":3,"note":"first\tsecond"}'
  const location = 'in document 2 of the page, after the one with the id 2 (the same again:'

  /** Pages of two documents, in which the token names the place. */
  function serveMalformed() {
    const all = [0, 1, 2].map((id) => `{"id":${id}}`)
    const documents = [...all, bad, '{"id":4}', '{"id":5}']
    testbed.respond = (_, url) => {
      const at = Number(url.searchParams.get('_token') ?? 0)
      const page = documents.slice(at, at + 2)
      const headers = { 'x-svc-md-token': String(at + 2), 'rest-content-total': '6' }
      return { status: 200, headers, body: Buffer.from(page.length > 0 ? `[${page.join(',')}]` : '') }
    }
  }

  it('on a later page ends the run when its page comes again, with its place', async () => {
    serveMalformed()
    const { status, reason } = (await testbed.stepToEnd()) as { status: string; reason: string }
    expect(status).toBe('failed')
    expect(reason).toContain('Page 2 of the scroll: the page is not JSON')
    expect(reason).toContain(location)
    expect(reason).toMatch(/[^.]\.$/)
    expect(testbed.targets.filter((target) => target.includes('_token=2'))).toHaveLength(2)
  })
})
