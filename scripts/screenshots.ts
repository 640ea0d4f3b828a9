import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import type { TimelineResponse, TimelineRun } from '../console/contract/timeline.ts'
import { launchBrowser } from './chromium.ts'

/** `npm run check -- screenshots` renders docs/console-*.png from the console of `npm start` and its example data. */
const root = fileURLToPath(new URL('..', import.meta.url))
const maxStartMs = 180_000
/** Small pages, so that a sync takes long enough to be seen. */
const configuration = {
  upstream: { baseUrl: 'https://shop.example.com' },
  entities: [
    { name: 'CL', schedule: 'rate(6 hours)', pageSize: 100 },
    { name: 'AD', schedule: 'cron(30 3 * * ? *)', timezone: 'Europe/Lisbon', pageSize: 100 },
  ],
}

const folder = mkdtempSync(join(tmpdir(), 'longshore-screenshots-'))

try {
  await withConsole([], async (page) => {
    for (const entity of ['CL', 'AD', 'CL']) await sync(page, entity)
    await shootRun(page, await shootOverview(page))
    await shootEntity(page)
    await shootChanges(page)
    await shootPause(page)
    await shootTimeline(page)
  })
  await withConsole(['--faults', 'shrink'], async (page) => {
    await show(page, '')
    await page.getByRole('button', { name: 'Check again' }).waitFor()
    await shoot(page, 'attention')
    await shootReview(page)
  })
} finally {
  rmSync(folder, { recursive: true })
}

/** Opens the console of an `npm start` with these options. */
async function withConsole(
  options: readonly string[],
  shootPages: (page: Page) => Promise<void>,
): Promise<void> {
  const started = startLocal(options)
  try {
    const url = await consoleUrl(started)
    const browser = await launchBrowser()
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, timezoneId: 'UTC' })
    await page.goto(url)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await shootPages(page)
    await browser.close()
  } finally {
    started.kill('SIGTERM')
    await once(started, 'close')
  }
}

function startLocal(options: readonly string[]): ChildProcess {
  const config = join(folder, 'config.json')
  writeFileSync(config, JSON.stringify(configuration))
  const args = ['local/start.ts', '--config', config, '--port', '0', '--partitions', '4', ...options]
  return spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
}

async function consoleUrl({ stdout }: ChildProcess): Promise<string> {
  let printed = ''
  const signal = AbortSignal.timeout(maxStartMs)
  for await (const chunk of stdout?.iterator({ destroyOnReturn: false }) ?? []) {
    signal.throwIfAborted()
    printed += String(chunk)
    const [url] = /http:\S+token=\S+(?=\s)/.exec(printed) ?? []
    if (url) return url
  }
  throw new Error(`npm start has ended:\n${printed}`)
}

/** Starts a sync and waits for its end. */
async function sync(page: Page, entity: string): Promise<void> {
  await show(page, `entities/${entity}/runs/${await start(page, entity)}`)
  await page.getByRole('heading', { level: 1 }).getByText('published').waitFor()
}

/** Starts a sync as the page does, and returns its run. */
async function start(page: Page, entity: string): Promise<string> {
  const headers = { origin: new URL(page.url()).origin, 'content-type': 'application/json' }
  const url = new URL(`/console/api/entities/${entity}/start`, page.url()).href
  const response = await page.request.post(url, { headers, data: {} })
  return ((await response.json()) as { runId: string }).runId
}

async function show(page: Page, route: string): Promise<void> {
  await page.goto(`${page.url().replace(/[?#].*/, '')}#/${route}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
}

async function shoot(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: `${root}docs/console-${name}.png`, animations: 'disabled' })
}

/** Returns the run that is in progress. */
async function shootOverview(page: Page): Promise<string> {
  await show(page, '')
  await page.getByRole('button', { name: 'Check again' }).click()
  await page.getByRole('button', { name: 'Check again' }).waitFor()
  const runId = await start(page, 'CL')
  await page.reload()
  await page.getByText('left').first().waitFor()
  await shoot(page, 'overview')
  return runId
}

async function shootRun(page: Page, runId: string): Promise<void> {
  await show(page, `entities/CL/runs/${runId}`)
  await page.getByText('left').first().waitFor()
  await shoot(page, 'run')
}

async function shootEntity(page: Page): Promise<void> {
  await show(page, 'entities/CL')
  await page.getByRole('button', { name: 'Start sync', disabled: false }).waitFor()
  await page.locator('.plot-line').last().waitFor()
  // The last run is published before its snapshot is compared.
  await page.getByText('The published snapshot has no change set.').waitFor({ state: 'hidden' })
  await shoot(page, 'entity')
}

/** The run that the demo leaves refused. */
async function shootReview(page: Page): Promise<void> {
  await show(page, 'entities/CL')
  await page.getByRole('link', { name: 'Review' }).click()
  await page.getByRole('region', { name: 'Review' }).locator('.sample').waitFor()
  await shoot(page, 'review')
}

/** A pause with a reason and an end, as everybody sees it. */
async function shootPause(page: Page): Promise<void> {
  await show(page, 'entities/AD')
  await page.getByRole('button', { name: 'Pause', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(/^Until/).fill('06:00')
  await dialog.getByLabel('Reason').fill('The platform is migrated')
  await dialog.getByText('longshore').waitFor()
  await dialog.getByRole('button', { name: 'Pause', exact: true }).click()
  await page.getByText(/AD has been paused/).waitFor()
  await shoot(page, 'pause')
}

/** The demo's increment. */
async function shootChanges(page: Page): Promise<void> {
  await show(page, 'entities/CL/changes')
  const delivered = page.locator('td:last-child').filter({ hasText: /^[1-9]/ })
  await page.locator('tbody tr').filter({ has: delivered }).locator('a').click()
  await page.locator('.documents summary').nth(1).click()
  await page.getByRole('link', { name: 'History of this document' }).waitFor()
  await shoot(page, 'changes')
}

/** An example of a day, since all runs of this `npm start` are some minutes old. */
async function shootTimeline(page: Page): Promise<void> {
  await page.route('**/console/api/timeline*', (route) =>
    route.fulfill({ json: exampleTimeline(Date.now()) }),
  )
  await show(page, 'timeline')
  await page.getByRole('application', { name: /^orders/ }).press('ArrowLeft')
  await shoot(page, 'timeline')
}

const hour = 3_600_000
const iso = (time: number) => new Date(time).toISOString()
const runIdOf = (time: number, index: number) =>
  `${iso(time).replaceAll(/[-:.]/g, '')}-${String(index).padStart(12, '0')}`

const lanes = ['CL', 'AD', 'orders', 'products', 'prices', 'stock', 'coupons', 'stores']
const outage = { fromHoursAgo: 7.2, toHoursAgo: 4.9 }

/** Syncs of a day. The platform was away for some hours; those of one entity became slow, and one was refused. */
function exampleTimeline(now: number): TimelineResponse {
  return {
    entities: lanes,
    lanes: lanes.map((entity, index) => ({ entity, runs: exampleRuns(now, index) })),
    next: Object.fromEntries(lanes.map((entity, index) => [entity, iso(now + (index + 0.5) * 0.4 * hour)])),
    revision: 1,
    now: iso(now),
  }
}

function exampleRuns(now: number, index: number): TimelineRun[] {
  const newest = now - (index + 1) * 0.1 * hour
  const everyHours = [1, 6, 1, 3, 2, 0.5, 12, 4][index] ?? 1
  const count = Math.floor(23 / everyHours)
  return Array.from({ length: count }, (_, at): TimelineRun => {
    const start = newest - (count - at) * everyHours * hour
    const hoursAgo = (now - start) / hour
    const isAway = hoursAgo <= outage.fromHoursAgo && hoursAgo >= outage.toHoursAgo
    const isSlow = index === 2 && at > count / 2
    const usualMinutes = (5 + index * 2) * (isSlow ? 2.5 : 1) * (1 + ((at * 7) % 5) / 20)
    const isRefused = index === 4 && at === count - 1
    return {
      runId: runIdOf(start, index),
      status: isAway ? 'failed' : isRefused ? 'refused' : 'published',
      startedAt: iso(start),
      endedAt: iso(start + (isAway ? 1 : usualMinutes) * 60_000),
      documents: isAway ? 0 : 10_000 * (index + 1) + at,
    }
  })
}
