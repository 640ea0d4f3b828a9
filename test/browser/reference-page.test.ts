import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { version } from '../../functions/runtime/version.ts'
import { referencePage } from '../../local/reference-page.ts'
import { isWithoutBrowser, launchBrowser } from '../../scripts/chromium.ts'
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
    browser = await launchBrowser()
    await openPage()
  })
  afterAll(async () => {
    await browser?.close()
    await started?.stop()
  })

  /** Loading the library takes long, so the tests share the page. */
  async function openPage() {
    page = await browser.newPage()
    page.setDefaultTimeout(60_000)
    page.on('request', (request) => void requested.push(request.url()))
    page.on('pageerror', (error) => void complaints.push(error.message))
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text())
    })
    await page.goto(addressPrinted())
    await page.getByRole('heading', { name: /^Longshore/ }).waitFor()
  }

  const addressPrinted = () => /reference +(http:\S+)/.exec(started.printed())?.[1] ?? 'nowhere'

  async function open(operation: Locator) {
    const isOpen = /is-open/.test((await operation.getAttribute('class')) ?? '')
    if (!isOpen) await operation.locator('.opblock-summary-control').click()
  }

  /** Opens an operation, sends it with the proposed values unless changed, reads the response and removes it. */
  async function tryOut(operationId: string, change: (operation: Locator) => unknown) {
    const operation = page.locator(`.opblock[id$="-${operationId}"]`)
    await open(operation)
    await change(operation)
    await operation.getByRole('button', { name: 'Execute' }).click()
    const result = operation.locator('.live-responses-table')
    await result.waitFor()
    const shown = {
      status: await result.locator('tbody .response-col_status').first().innerText(),
      body: await result.locator('tbody .response-col_description .microlight').first().innerText(),
    }
    await operation.getByRole('button', { name: 'Clear' }).click()
    // Every change of the page renders the open operations again.
    await operation.locator('.opblock-summary-control').click()
    return shown
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

  it.each([
    ['readDock', '200'],
    ['updateSubscriptionGroup', '200'],
    ['updateSubscription', '200'],
    ['searchDocuments', '200'],
    ['scrollDocuments', '200'],
    ['listSyncs', '200'],
    ['readSync', '200'],
    ['readRun', '200'],
    ['readSnapshot', '200'],
    ['readChanges', '200'],
    ['startSync', '202'],
    ['readOpenapi', '200'],
  ])('%s succeeds with the proposed values', async (operationId, expected) => {
    const { status } = await tryOut(operationId, () => undefined)
    expect(status).toContain(expected)
    expect(complaints).toEqual([])
  })

  it('proposes no invented field, no accepted guard and no trace of another caller', async () => {
    for (const id of ['searchDocuments', 'startSync']) {
      await open(page.locator(`.opblock[id$="-${id}"]`))
    }
    const values = await page
      .locator('.opblock input, .opblock textarea')
      .evaluateAll((fields) => fields.map((field) => (field as unknown as { value: string }).value))
    expect(values).toContain('resources=0-100')
    expect(values.join()).not.toMatch(/additionalProp|accept|00-0af7/)
    expect((await page.locator('.opblock').allInnerTexts()).join()).not.toMatch(/additionalProp\d/)
  })

  it('has the colors of the console, light and dark, and links to it', async () => {
    const background = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
    expect(await background()).toBe('rgb(246, 247, 249)')
    await page.emulateMedia({ colorScheme: 'dark' })
    await expect.poll(background).toBe('rgb(17, 21, 26)')
    const color = `getComputedStyle(document.querySelector('.swagger-ui')).color`
    await expect.poll(() => page.evaluate(color)).toBe('rgb(228, 230, 230)')
    await page.emulateMedia({ colorScheme: 'light' })
    expect(await page.getByRole('link', { name: 'Console' }).getAttribute('href')).toBe('/')
  })

  it('shows the version of Longshore', async () => {
    expect((await page.locator('.version').first().innerText()).trim()).toBe(version)
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

  describe('with a real platform', () => {
    beforeAll(async () => {
      await page.route('**/local.json', async (route) => {
        const result = await route.fetch()
        const instance = (await result.json()) as Record<string, unknown>
        await route.fulfill({ response: result, json: { ...instance, platform: 'real' } })
      })
      // Deep links in the address would open an operation again.
      await page.goto('about:blank')
      await page.goto(addressPrinted())
      await page.getByRole('heading', { name: /^Longshore/ }).waitFor()
      requested.length = 0
    })

    it('warns that requests reach it', async () => {
      expect(await page.locator('#platform').innerText()).toMatch(
        /^Requests reach the real platform at http:.*PATCH changes its data\.$/,
      )
    })

    it('asks before it sends a PATCH', async () => {
      const questions: string[] = []
      const responses = [false, true]
      page.on('dialog', (dialog) => {
        questions.push(dialog.message())
        void (responses.shift() ? dialog.accept() : dialog.dismiss())
      })
      const operation = page.locator('.opblock[id$="-updateSubscription"]')
      await open(operation)
      const sent = () => requested.filter((url) => url.includes('/api/rns/')).length
      await operation.getByRole('button', { name: 'Execute' }).click()
      await expect.poll(() => questions, { timeout: 20_000 }).toHaveLength(1)
      expect(sent()).toBe(0)
      await operation.getByRole('button', { name: 'Execute' }).click()
      await expect.poll(sent, { timeout: 20_000 }).toBe(1)
      expect(questions).toHaveLength(2)
    })
  })
})

const isOfNetwork = (url: URL) => url.protocol !== 'data:'
const originOf = (url: URL) => url.origin
