import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { referencePage } from '../../local/reference-page.ts'
import { browserPath, isWithoutBrowser } from '../chromium.ts'
import { type NpmStart, npmStart } from '../npm-start.ts'

it.each(['/', '/reference/', '/reference/../gateway.ts', '/reference/package.json', '/constructor', '//'])(
  'the reference page serves only its own files: not %s',
  (path) => expect(referencePage(path)).toBeUndefined(),
)

describe.skipIf(isWithoutBrowser)('the reference page of the local gateway', () => {
  let started: NpmStart
  let browser: Browser
  let page: Page
  /** Requests and errors of the browser. */
  const requested: string[] = []
  const complaints: string[] = []

  beforeAll(async () => {
    started = await npmStart({ entities: [{ name: 'CL', schedule: 'rate(1 day)' }] })
    // Chromium's sandbox does not work in containers; the page is our own.
    browser = await chromium.launch({ executablePath: browserPath(), args: ['--no-sandbox'] })
  })
  afterAll(async () => {
    await browser?.close()
    await started?.stop()
  })
  beforeEach(async () => {
    await page?.close()
    requested.length = 0
    complaints.length = 0
    page = await browser.newPage()
    page.setDefaultTimeout(10_000)
    page.on('request', (request) => void requested.push(request.url()))
    page.on('pageerror', (error) => void complaints.push(error.message))
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text())
    })
    await page.goto(addressPrinted())
    await page.getByRole('heading', { name: /^Longshore/ }).waitFor()
  })

  const addressPrinted = () => /reference +(http:\S+)/.exec(started.printed())?.[1] ?? 'nowhere'

  /** Opens an operation, sends it with the proposed values unless changed, and reads the response. */
  async function tryOut(operationId: string, change: (operation: ReturnType<Page['locator']>) => unknown) {
    const operation = page.locator(`.opblock[id$="-${operationId}"]`)
    await operation.locator('.opblock-summary-control').click()
    await change(operation)
    await operation.getByRole('button', { name: 'Execute' }).click()
    const answer = operation.locator('.live-responses-table')
    await answer.waitFor()
    return {
      status: await answer.locator('tbody .response-col_status').first().innerText(),
      body: await answer.locator('tbody .response-col_description .microlight').first().innerText(),
    }
  }

  it('shows every operation of the OpenAPI document without requests to other hosts', async () => {
    const description = (await (await fetch(`${started.apiUrl}/openapi.json`)).json()) as {
      paths: Record<string, object>
    }
    const operations = Object.values(description.paths).flatMap((methods) => Object.keys(methods))
    expect(await page.locator('.opblock').count()).toBe(operations.length)
    expect(
      new Set(
        requested
          .map((url) => new URL(url))
          .filter(isOfNetwork)
          .map(originOf),
      ),
    ).toEqual(new Set([started.apiUrl]))
    expect(complaints).toEqual([])
  })

  it('reads a dock with the proposed example', async () => {
    const { status, body } = await tryOut('readDock', () => undefined)
    expect(status).toContain('200')
    expect(JSON.parse(body)).toMatchObject({ id: 'dock-lisbon', name: 'Main dock' })
    expect(complaints).toEqual([])
  })

  it('patches a subscription with an edited body', async () => {
    const { status, body } = await tryOut('updateSubscription', (operation) =>
      operation.locator('textarea').fill('{"item":{"quantity":7}}'),
    )
    expect(status).toContain('200')
    expect(JSON.parse(body)).toMatchObject({ item: { quantity: 7 } })
    expect(complaints).toEqual([])
  })

  it('shows a refusal of Longshore', async () => {
    const { status, body } = await tryOut('updateSubscription', (operation) =>
      operation.locator('textarea').fill('[]'),
    )
    expect(status).toContain('400')
    expect(JSON.parse(body)).toMatchObject({ type: 'urn:longshore:problem:invalid-request' })
  })
})

const isOfNetwork = (url: URL) => url.protocol !== 'data:'
const originOf = (url: URL) => url.origin
