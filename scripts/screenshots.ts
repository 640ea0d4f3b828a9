import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { launchBrowser } from './chromium.ts'

/** `npm run screenshots` renders docs/console-*.png from the console of `npm start` and its example data. */
const root = fileURLToPath(new URL('..', import.meta.url))
const maxStartMs = 60_000
/** Small pages, so that a sync takes long enough to be seen. */
const configuration = {
  upstream: { baseUrl: 'https://shop.example.com' },
  entities: [
    { name: 'CL', schedule: 'rate(6 hours)', pageSize: 100 },
    { name: 'AD', schedule: 'cron(30 3 * * ? *)', timezone: 'Europe/Lisbon', pageSize: 100 },
  ],
}

const folder = mkdtempSync(join(tmpdir(), 'longshore-screenshots-'))

const started = startLocal()
try {
  const url = await consoleUrl(started)
  const browser = await launchBrowser()
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, timezoneId: 'UTC' })
  await page.goto(url)
  await page.getByRole('heading', { level: 1 }).waitFor()
  for (const entity of ['CL', 'AD', 'CL']) await sync(page, entity)
  await shootOverview(page)
  await shootEntity(page)
  await shootChanges(page)
  await browser.close()
} finally {
  started.kill('SIGTERM')
  await once(started, 'close')
  rmSync(folder, { recursive: true })
}

function startLocal(): ChildProcess {
  const config = join(folder, 'config.json')
  writeFileSync(config, JSON.stringify(configuration))
  const args = ['local/start.ts', '--config', config, '--port', '0', '--partitions', '4']
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

async function shootOverview(page: Page): Promise<void> {
  await show(page, '')
  await page.getByRole('button', { name: 'Check again' }).click()
  await page.getByRole('button', { name: 'Check again' }).waitFor()
  await start(page, 'CL')
  await page.reload()
  await page.getByText('left').first().waitFor()
  await shoot(page, 'overview')
}

async function shootEntity(page: Page): Promise<void> {
  await show(page, 'entities/CL')
  await page.getByRole('button', { name: 'Start sync', disabled: false }).waitFor()
  await page.locator('.plot-line').last().waitFor()
  await shoot(page, 'entity')
}

/** The change set of the demo. */
async function shootChanges(page: Page): Promise<void> {
  await show(page, 'entities/CL/changes')
  await page.locator('tbody tr').filter({ hasText: '2' }).nth(-2).locator('a').click()
  await page.locator('.documents summary').nth(1).click()
  await shoot(page, 'changes')
}
