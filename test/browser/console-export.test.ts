import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeDocuments } from '../../local/stand-in/documents.ts'
import { isWithoutBrowser, launchBrowser } from '../../scripts/chromium.ts'
import { moveClockTo } from '../clock.ts'
import { type CliWorld, startCliWorld } from '../integration/cli-world.ts'
import { expectReadable } from './console-browser.ts'
import { consoleTime } from './console-in-browser.ts'

let world: CliWorld
let browser: Browser | undefined
let folder: string
let printed: string
let resetClock: () => void

beforeAll(async () => {
  resetClock = moveClockTo(consoleTime)
  world = await startCliWorld()
  folder = join(world.folder, 'report')
  await world.longshore('credentials set --skip-check --no-sync', 'app-key\napp-token')
  await world.longshore('sync CL --watch')
  world.platform.documents.set('CL', makeDocuments(95).slice(0, 20))
  await world.longshore('sync CL --watch')
  printed = (await world.longshore(`console --export ${folder}`)).stdout
})
afterAll(async () => {
  await browser?.close()
  await world.close()
  resetClock()
})

it('writes four files and reports it', () => {
  expect(printed).toContain(`Exported 2 entities to ${folder}.`)
  expect(readdirSync(folder).toSorted()).toEqual(['console.js', 'data.js', 'index.html', 'style.css'])
})

it('contains no document, id, reason, command or address', () => {
  const data = readFileSync(join(folder, 'data.js'), 'utf8')
  expect(data).toContain('"status":"refused"')
  expect(data).not.toMatch(/\dZ-[0-9a-f]|arn:|https?:|longshore |maxShrinkPercent|manifest|snapshots\/|@/)
  const { id } = JSON.parse(String(makeDocuments(1)[0])) as { id: string }
  expect(data).not.toContain(id)
})

it.skipIf(isWithoutBrowser)('is shown from its files, with links within the export only', async () => {
  browser = await launchBrowser()
  const page = await browser.newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => void complaints.push(error.message))
  const requested: string[] = []
  page.on('request', (request) => void requested.push(request.url()))
  const url = pathToFileURL(join(folder, 'index.html')).href
  for (const [route, text] of [
    ['', 'Need attention'],
    ['#/timeline', 'Last 24 hours'],
    ['#/timeline/7d', 'Last 7 days'],
    ['#/entities/CL', 'refused'],
  ]) {
    await page.goto('about:blank')
    await page.goto(url + route)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.getByRole('main').getByText(String(text)).first().waitFor()
    const links = await page.locator('a').evaluateAll((all) => all.map((link) => link.getAttribute('href')))
    expect(links.filter((href) => !/^#\/(timeline(\/7d)?|entities\/\w+)?$/.test(String(href)))).toEqual([])
    expect(await page.getByRole('button', { name: /sync|cancel|accept/i }).count()).toBe(0)
    await expectReadable(page)
  }
  await page.getByText(/^Exported Nov 2\d, 2026, /).waitFor()
  await page.goto('about:blank')
  await page.goto(`${url}#/entities/CL/snapshots`)
  await page.getByText('This is not part of the export.').waitFor()
  expect(
    requested.filter((one) => !one.startsWith('file:') && !one.startsWith('data:') && one !== 'about:blank'),
  ).toEqual([])
  expect(complaints).toEqual([])
})
