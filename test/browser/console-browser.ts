import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { HealthResponse } from '../../console/contract/health.ts'
import { launchBrowser } from '../../scripts/chromium.ts'
import { findUnreadable } from './unreadable-text.ts'

export interface ConsoleBrowser {
  readonly page: Page
  /** Errors of the page and messages of its console. */
  readonly complaints: string[]
  /** Opens a view by the part of the URL after `#`. */
  readonly open: (route: string) => Promise<void>
  close(): Promise<void>
}

/** Opens the console in headless Chromium with the URL that was printed. */
export async function openConsole(url: string): Promise<ConsoleBrowser> {
  const browser = await launchBrowser()
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  const complaints: string[] = []
  page.on('pageerror', (error) => void complaints.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  // The doctor would synthesize the checkout, which takes long. test/commands/local.test.ts tests it.
  await page.route('**/console/api/health*', (route) => route.fulfill({ json: health }))
  await page.addInitScript(recordShifts)
  await page.goto(url)
  await loaded(page)
  let opened = 0
  const home = page.url().replace(/[?#].*/, '')
  return {
    page,
    complaints,
    async open(route) {
      // If only the hash changed, the page would keep what is open and loaded.
      await page.goto(`${home}?${++opened}#/${route}`)
      await loaded(page)
    },
    close: () => browser.close(),
  }
}

/** Resolves when the first response is shown. */
export async function loaded(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.locator('.loading').waitFor({ state: 'detached' })
}

const health: HealthResponse = {
  findings: [
    { level: 'ok', about: 'deployment', text: 'Deployed: LongshoreStorage.' },
    {
      level: 'problem',
      about: 'credentials',
      text: 'Credentials are not set.',
      fix: 'npx --no-install longshore doctor',
    },
  ],
  alarms: [
    { name: 'Longshore-Stale', description: 'A snapshot is stale.', since: '2026-11-21T12:00:00.000Z' },
  ],
  checkedAt: '2026-11-21T12:00:00.000Z',
  isChecking: false,
}

const recordShifts = `
  globalThis.shifts = 0
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) globalThis.shifts += entry.value
  }).observe({ type: 'layout-shift', buffered: true })`

/** How much of the view has moved by itself since it was opened (Cumulative Layout Shift). */
export const layoutShift = (page: Page) => page.evaluate<number>('globalThis.shifts')

/** The part of axe-core that the tests use. */
interface Axe {
  run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>
}

/** Checks the accessibility of what is shown: every rule in light colors, and contrasts in dark ones. */
export async function expectAccessible(page: Page): Promise<void> {
  expect(await violationsOf(page, {})).toEqual([])
  await page.emulateMedia({ colorScheme: 'dark' })
  expect(await violationsOf(page, { runOnly: ['color-contrast', 'link-in-text-block'] })).toEqual([])
  await page.emulateMedia({ colorScheme: 'light' })
}

async function violationsOf(page: Page, options: object): Promise<string[]> {
  // Evaluated by the developer tools, to which the policy of the page does not apply.
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axe.source)
  return page.evaluate(async (options) => {
    const { axe: library } = globalThis as unknown as { axe: Axe }
    const { violations } = await library.run(options)
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
  }, options)
}

const desktop = { width: 1280, height: 900 }
/** What a window has in CSS pixels: phones, tablets, desktops, and a desktop at a zoom of 200%. */
const windows = [
  { width: 360, height: 900 },
  { width: 768, height: 900 },
  desktop,
  { width: 1920, height: 900 },
  { width: desktop.width / 2, height: desktop.height / 2 },
]

/** What is shown is accessible, and fits into windows of any size. */
export async function expectReadable(page: Page): Promise<void> {
  await expectAccessible(page)
  await expectNoOverflow(page)
}

/** Resolves when what depends on the size of the window is shown. */
export async function resize(page: Page, size: { width: number; height: number }): Promise<void> {
  await page.setViewportSize(size)
  await page.evaluate('new Promise((shown) => requestAnimationFrame(() => requestAnimationFrame(shown)))')
}

/** Nothing may be wider than the window or cut off, and no word may be broken into two lines. */
export async function expectNoOverflow(page: Page): Promise<void> {
  for (const size of windows) {
    await resize(page, size)
    expect([size, await page.evaluate<string[]>(findUnreadable)]).toEqual([size, []])
  }
  await page.setViewportSize(desktop)
}
