import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeDocuments } from '../../local/stand-in/documents.ts'
import { isWithoutBrowser, launchBrowser } from '../../scripts/chromium.ts'
import { type CliWorld, startCliWorld } from '../integration/cli-world.ts'
import { expectReadable } from './console-browser.ts'

describe.skipIf(isWithoutBrowser)('the exported console', () => {
  let world: CliWorld
  let browser: Browser
  let page: Page
  let file: string
  let printed: string
  /** What the page reports as an error, and what it requests. */
  const complaints: string[] = []
  const requested: string[] = []

  beforeAll(async () => {
    world = await startCliWorld()
    file = join(world.folder, 'console.html')
    await world.longshore('credentials set --skip-check --no-sync', 'app-key\napp-token')
    await world.longshore('sync CL --watch')
    world.platform.documents.set('CL', makeDocuments(95).slice(0, 20))
    await world.longshore('sync CL --watch')
    printed = (await world.longshore(`console --export ${file}`)).stdout
    browser = await launchBrowser()
    page = await browser.newPage()
    page.on('pageerror', (error) => void complaints.push(error.message))
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text())
    })
    page.on('request', (request) => void requested.push(request.url()))
    await page.goto(pathToFileURL(file).href)
  })
  afterAll(async () => {
    await browser?.close()
    await world?.close()
  })

  it('is one file, without secrets and documents', () => {
    expect(printed).toMatch(/^Wrote \S+console\.html, as of \d{4}-\d\d-\d\d \d\d:\d\d UTC\.$/m)
    const html = readFileSync(file, 'utf8')
    expect(html).not.toMatch(/app-key|app-token/)
    const [first] = makeDocuments(1)
    expect(html).not.toContain((JSON.parse(String(first)) as { id: string }).id)
  })

  it('shows from the disk the overview, an entity, a run and the timeline, and says when it was taken', async () => {
    await page.getByRole('heading', { level: 1, name: 'Longshore' }).waitFor()
    await page.getByText(/^Exported at \d{4}-\d\d-\d\d \d\d:\d\d UTC\. This page does not update/).waitFor()
    const attention = page.locator('[aria-labelledby=attention]')
    await attention.getByText('run refused').waitFor()
    await page.getByText('Checked at').waitFor()
    await expectReadable(page)
    await page.locator('table.entities').getByRole('link', { name: 'CL', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'CL' }).waitFor()
    await attention.getByText('run refused').waitFor()
    await expectReadable(page)
    const rows = page.locator('table.runs tbody tr:not(.reason)')
    await rows.first().waitFor()
    expect(await rows.count()).toBe(2)
    await rows.nth(1).getByRole('link').click()
    await page.getByRole('heading', { name: 'Run of CL published' }).waitFor()
    await page.locator('.phases').getByText('Publication').waitFor()
    await expectReadable(page)
    await page.goBack()
    await page.goBack()
    await page.getByRole('heading', { level: 1, name: 'Longshore' }).waitFor()
    await page.getByRole('link', { name: 'Timeline' }).click()
    for (const period of ['24h', '7d', '1h']) {
      await page.getByRole('navigation', { name: 'Period' }).getByRole('link', { name: period }).click()
      await page.getByRole('application', { name: /^CL: 2 runs, 1 published, 1 refused/ }).waitFor()
    }
  })

  it('offers nothing that needs a server', async () => {
    await page.getByRole('link', { name: 'CL', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'CL' }).waitFor()
    await page.locator('table.runs').waitFor()
    expect(await page.getByRole('button', { name: /sync|increment|cancel|pause/i }).count()).toBe(0)
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByText('Checked at').waitFor()
    expect(await page.getByRole('button', { name: 'Check again' }).count()).toBe(0)
    expect(await page.getByRole('link', { name: 'API reference' }).count()).toBe(0)
  })

  it('says of everything else that it is not part of the export', async () => {
    const missing = page.getByText(/^This is not part of the export of \d{4}-\d\d-\d\d \d\d:\d\d UTC\.$/)
    for (const route of ['entities/CL/snapshots', 'entities/CL/schema', 'entities/CL/documents/1']) {
      await page.evaluate(`location.hash = '#/${route}'`)
      await missing.first().waitFor()
      await expectReadable(page)
    }
  })

  it('requests nothing, and its policy allows nothing but itself', async () => {
    expect(requested.filter((url) => !url.startsWith('data:'))).toEqual([pathToFileURL(file).href])
    expect(complaints).toEqual([])
    await page
      .evaluate(
        `document.body.append(Object.assign(document.createElement('script'), { textContent: 'globalThis.ran = 1' }))`,
      )
      .catch(() => undefined)
    expect(await page.evaluate('"ran" in globalThis')).toBe(false)
  })
})
