import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BatchWriteItemCommand } from '@aws-sdk/client-dynamodb'
import { marshall } from '@aws-sdk/util-dynamodb'
import { describe, expect, it } from 'vitest'
import { isWithoutBrowser } from '../../scripts/chromium.ts'
import { itemVersion } from '../../stored/item-version.ts'
import { newRun, newRunId } from '../../stored/run/run.ts'
import { cancelled } from '../../stored/run/run-changes.ts'
import { entityNamed } from '../entity-named.ts'
import type { CliWorld } from '../integration/cli-world.ts'
import { expectAccessible, expectNoOverflow, resize } from './console-browser.ts'
import { consoleInBrowser } from './console-in-browser.ts'

const entityCount = 400
const longName = `a${'-very'.repeat(11)}-long`
const runCount = 10_000
const runsPerPage = 100

interface Axis {
  readonly labels: number
  readonly overlapping: number
  readonly cut: number
}

/** Evaluated in a page. */
const readAxis = `(() => {
  const axis = document.querySelector('.timeline-axis')
  const { left, right } = axis.getBoundingClientRect()
  const labels = [...axis.querySelectorAll('span')].map((label) => label.getBoundingClientRect()).filter(({ width }) => width > 0)
  return {
    labels: labels.length,
    overlapping: labels.filter((label, index) => index > 0 && label.left < labels[index - 1].right - 0.5).length,
    cut: labels.filter((label) => label.left < left - 0.5 || label.right > right + 0.5).length,
  }
})()`

/** Ticks are at most two days apart. */
function* hoursOfTwoDays() {
  for (let hour = 0; hour < 48; hour += 9) yield new Date(Date.UTC(2026, 10, 25, hour, 15)).toISOString()
}

/** Of DynamoDB. */
const maxBatch = 25

describe.skipIf(isWithoutBrowser)('the console with many entities and runs', () => {
  const opened = consoleInBrowser(async (world) => {
    const names = ['CL', 'E0', longName]
    for (let index = 1; names.length < entityCount; index++) names.push(`E${index}`)
    const timezone = 'America/Argentina/Buenos_Aires'
    const entities = names.map((name) => ({ name, schedule: 'cron(30 3 ? * MON-FRI *)', timezone }))
    const config = join(world.folder, 'many.json')
    writeFileSync(
      config,
      JSON.stringify({ upstream: { baseUrl: world.platform.url }, athena: false, entities }),
    )
    await writeRuns(world)
    return ` --config ${config}`
  })

  /** Runs of CL, one per minute. */
  async function writeRuns({ stores }: CliWorld) {
    const entity = entityNamed('CL')
    const newest = Date.now()
    const progress = { documents: 5, pages: 1, total: 5, rangeProgress: [] }
    const items = Array.from({ length: runCount }, (_, index) => {
      const now = newest - index * 60_000
      const start = { runId: newRunId(now), entity, acceptShrink: false, execution: undefined, now }
      const run = cancelled(newRun(start), { reason: 'No reason.', progress, now: now + 5_000 })
      return { ...run, pk: 'entity#CL', sk: `run#${run.runId}`, version: itemVersion }
    })
    for (let at = 0; at < runCount; at += maxBatch) {
      const requests = items
        .slice(at, at + maxBatch)
        .map((item) => ({ PutRequest: { Item: marshall(item, { removeUndefinedValues: true }) } }))
      const RequestItems = { [stores.table]: requests }
      await stores.dynamodb.send(new BatchWriteItemCommand({ RequestItems }))
    }
  }

  it('shows 400 entities in pages, one line each, filtered by name and number, and sorted', async () => {
    const { page, complaints } = opened.browser
    const rows = page.locator('table.entities tbody tr')
    await rows.first().waitFor()
    expect(await rows.count()).toBe(50)
    await expectNoOverflow(page)
    expect(await page.locator('.tiles').innerText()).toContain(String(entityCount))
    await page.getByText('Page 1 of 8').waitFor()
    await page.getByRole('button', { name: 'Next', exact: true }).click()
    await page.getByText('Page 2 of 8').waitFor()
    await page.getByRole('searchbox', { name: 'Filter entities by name' }).fill('e39')
    await page.getByText('9 entities', { exact: true }).waitFor()
    expect(await rows.count()).toBe(9)
    await page.getByRole('searchbox', { name: 'Filter entities by name' }).fill('nothing')
    await page.getByText('No entity matches this filter.').waitFor()
    await page.getByRole('searchbox', { name: 'Filter entities by name' }).fill('')
    const sort = page.getByRole('button', { name: 'Entity', exact: true })
    await sort.press('Enter')
    await sort.press('Enter')
    await page.locator('th[aria-sort=descending]').getByText('Entity').waitFor()
    expect(await rows.first().innerText()).toContain('E99')
    const problems = page.getByRole('button', { name: /^\d+ With a problem$/ })
    await problems.press('Enter')
    const count = page.locator('p.facts', { hasText: /^\d+ entities$/ })
    await count.getByText('400 entities').waitFor()
    await page.getByRole('button', { name: '0 Fresh' }).press('Enter')
    await page.getByText('No entity matches this filter.').waitFor()
    await problems.press('Enter')
    await rows.first().getByRole('link').first().click()
    await page.getByRole('heading', { level: 1, name: 'E99' }).waitFor()
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByRole('button', { name: /With a problem$/, pressed: true }).waitFor()
    expect(await rows.count()).toBe(50)
    for (const width of [390, 1280]) {
      await resize(page, { width, height: 900 })
      const heights = await rows.evaluateAll((all) => all.map((row) => row.getBoundingClientRect().height))
      expect(Math.min(...heights)).toBeGreaterThanOrEqual(40)
      expect(Math.max(...heights)).toBeLessThanOrEqual(48)
    }
    await expectAccessible(page)
    await expectNoOverflow(page)
    expect(complaints).toEqual([])
  })

  it('shows the timeline of 400 entities, with details for the keyboard', async () => {
    const { page, complaints, open } = opened.browser
    await open('timeline/7d')
    expect(await page.locator('.lane').count()).toBe(entityCount)
    const busy = page.getByRole('application', { name: /^CL: [\d,]+ runs, / })
    await busy.press('End')
    await page
      .locator('.readout')
      .getByText(/^CL · cancelled · .* took 5 s · 5 documents$/)
      .waitFor()
    await busy.press('ArrowDown')
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toMatch(/^E0: 0 runs/)
    await expectAccessible(page)
    await expectNoOverflow(page)
    await busy.press('End')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Run of CL' }).waitFor()
    expect(complaints).toEqual([])
  })

  it.each(['UTC', 'Pacific/Tongatapu', 'Pacific/Pago_Pago'])(
    'cuts no label of the time axis in %s, at any hour and in any window',
    async (timezoneId) => {
      const { page: signedIn } = opened.browser
      const storageState = await signedIn.context().storageState()
      const context = await signedIn.context().browser()?.newContext({ storageState, timezoneId })
      if (!context) throw new Error('The browser is closed.')
      const page = await context.newPage()
      const home = signedIn.url().replace(/[?#].*/, '')
      for (const [index, now] of [...hoursOfTwoDays()].entries()) {
        await page.route('**/console/api/timeline*', (route) =>
          route.fulfill({ json: { entities: ['CL'], lanes: [], next: {}, revision: 1, now } }),
        )
        await page.goto(`${home}?${index}#/timeline${['', '/1h', '/6h', '/7d'][index % 4]}`)
        await page.locator('.lane').waitFor()
        for (let width = 340; width < 1300; width += 97) {
          await resize(page, { width, height: 400 })
          const axis = await page.evaluate<Axis>(readAxis)
          expect([now, width, axis.overlapping, axis.cut]).toEqual([now, width, 0, 0])
          expect(axis.labels).toBeGreaterThan(0)
        }
      }
      await context.close()
    },
  )

  it('shows the last of 10,000 runs at once, and older ones on request', async () => {
    const { page, complaints, open } = opened.browser
    await open('entities/CL')
    const rows = page.locator('table.runs tbody tr:not(.reason)')
    await rows.first().waitFor()
    expect(await rows.count()).toBe(runsPerPage)
    for (const pages of [2, 3]) {
      await page.getByRole('button', { name: 'Show older runs' }).click()
      await rows.nth(pages * runsPerPage - 1).waitFor()
      expect(await rows.count()).toBe(pages * runsPerPage)
    }
    const links = await rows.locator('a').evaluateAll((all) => all.map((link) => link.getAttribute('href')))
    expect(new Set(links).size).toBe(3 * runsPerPage)
    expect(complaints).toEqual([])
  })
})
