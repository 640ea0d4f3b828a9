import { createServer } from 'node:http'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listen, type Served } from '../../local/embedded/listen.ts'
import { isWithoutBrowser, launchBrowser } from '../../scripts/chromium.ts'
import { type NpmStart, npmStart } from '../npm-start.ts'

/** The demo of npm start creates two documents and deletes one. */
const documentsAfterDemo = '5001'

const servePage = () =>
  listen(createServer((_, response) => response.setHeader('content-type', 'text/html').end('<p>A shop')))

describe.skipIf(isWithoutBrowser)('a page of another origin, in a real browser', () => {
  let allowed: Served
  let other: Served
  let started: NpmStart
  let browser: Browser
  beforeAll(async () => {
    ;[allowed, other] = await Promise.all([servePage(), servePage()])
    const entities = [{ name: 'CL', schedule: 'rate(1 day)' }]
    started = await npmStart({ entities, cors: [allowed.endpoint] })
    browser = await launchBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await started?.stop()
    await Promise.all([allowed?.close(), other?.close()])
  })

  interface Call {
    readonly method: string
    readonly path: string
    readonly headers: Record<string, string>
    readonly body?: string
    /** Response headers that the page reads. */
    readonly read: readonly string[]
  }

  /** What a script on a page can read of its request. */
  async function callFrom(page: Served, { path, ...call }: Call) {
    const tab = await browser.newPage()
    try {
      await tab.goto(page.endpoint)
      return await tab.evaluate(
        async ({ url, read, ...init }) => {
          try {
            const { status, headers } = await fetch(url, init)
            return { status, headers: Object.fromEntries(read.map((name) => [name, headers.get(name)])) }
          } catch {
            return 'kept from the page'
          }
        },
        { ...call, url: started.apiUrl + path },
      )
    } finally {
      await tab.close()
    }
  }

  const search = {
    method: 'GET',
    path: '/api/dataentities/CL/search?_sort=id%20ASC',
    headers: { 'REST-Range': 'resources=0-2', Authorization: 'signed' },
    read: ['REST-Content-Range'],
  }
  const scroll = {
    method: 'GET',
    path: '/api/dataentities/CL/scroll?_size=5',
    headers: { 'X-Amz-Date': '20260301T060000Z' },
    read: ['REST-Content-Total', 'X-SVC-MD-TOKEN'],
  }
  const patch = {
    method: 'PATCH',
    path: '/api/rns/subscriptions/subscription-1',
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': '"a-key-of-a-page"' },
    body: '{"item":{"quantity":2}}',
    read: ['Idempotency-Replayed', 'apigw-requestid'],
  }

  it('can search, scroll and update from a configured origin, and read response headers', async () => {
    const any = expect.any(String) as string
    expect(await callFrom(allowed, search)).toEqual({
      status: 200,
      headers: { 'REST-Content-Range': `resources=0-2/${documentsAfterDemo}` },
    })
    expect(await callFrom(allowed, scroll)).toEqual({
      status: 200,
      headers: { 'REST-Content-Total': documentsAfterDemo, 'X-SVC-MD-TOKEN': any },
    })
    await callFrom(allowed, patch)
    expect(await callFrom(allowed, patch)).toEqual({
      status: 200,
      headers: { 'Idempotency-Replayed': 'true', 'apigw-requestid': any },
    })
  })

  it('cannot read responses from any other origin', async () => {
    for (const call of [search, scroll, patch]) expect(await callFrom(other, call)).toBe('kept from the page')
  })
})
