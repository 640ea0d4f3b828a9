import axe from 'axe-core'
import { type Browser, chromium, type Page } from 'playwright-core'
import { expect } from 'vitest'
import type { HealthAnswer } from '../../console/contract.ts'
import { browserPath } from '../chromium.ts'

export interface ConsoleBrowser {
  readonly page: Page
  /** Errors of the page and messages of its console. */
  readonly complaints: string[]
  /** Opens a view by the part of the URL after `#`. */
  open(route: string): Promise<void>
  close(): Promise<void>
}

/** Opens the console in headless Chromium with the URL that was printed. */
export async function openConsole(url: string): Promise<ConsoleBrowser> {
  // Chromium's sandbox does not work in containers; the page is our own.
  const browser: Browser = await chromium.launch({ executablePath: browserPath(), args: ['--no-sandbox'] })
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  const page = await context.newPage()
  page.setDefaultTimeout(15_000)
  const complaints: string[] = []
  page.on('pageerror', (error) => void complaints.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  // The doctor synthesizes the checkout, which takes long; test/integration/cli-local.test.ts asks it.
  await page.route('**/console/api/health*', (route) => route.fulfill({ json: health }))
  await page.addInitScript(recordShifts)
  await page.goto(url)
  await page.getByRole('heading', { level: 1 }).waitFor()
  const home = page.url().replace(/[?#].*/, '')
  return {
    page,
    complaints,
    async open(route) {
      // A change of the hash alone would keep what is open and loaded.
      await page.goto('about:blank')
      await page.goto(`${home}#/${route}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
    },
    close: () => browser.close(),
  }
}

const health: HealthAnswer = {
  findings: [
    { level: 'ok', about: 'deployment', text: 'Deployed: LongshoreStorage.' },
    { level: 'problem', about: 'credentials', text: 'Credentials are not set.', fix: 'npx longshore doctor' },
  ],
  alarms: [
    { name: 'Longshore-Stale', description: 'A snapshot is stale.', since: '2026-11-21T12:00:00.000Z' },
  ],
  checkedAt: '2026-11-21T12:00:00.000Z',
}

const recordShifts = `
  globalThis.shifts = 0
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) globalThis.shifts += entry.value
  }).observe({ type: 'layout-shift', buffered: true })`

/** How much of the view has moved by itself since it was opened (Cumulative Layout Shift). */
export const layoutShift = (page: Page) => page.evaluate<number>('globalThis.shifts')

/** Checks the accessibility of what is shown, in light and in dark colors. */
export async function expectAccessible(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    // Evaluated by the developer tools, to which the policy of the page does not apply.
    await page.evaluate(axe.source)
    const violations = await page.evaluate(async () => {
      const { axe: library } = globalThis as unknown as {
        axe: { run: () => Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> }
      }
      const results = await library.run()
      return results.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
    })
    expect(violations).toEqual([])
  }
  await page.emulateMedia({ colorScheme: 'light' })
}

/** Nothing may be wider than the window. */
export async function expectNoOverflow(page: Page): Promise<void> {
  for (const width of [360, 768, 1280, 1920]) {
    await page.setViewportSize({ width, height: 900 })
    const overflow = await page.evaluate(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    )
    expect([width, overflow]).toEqual([width, 0])
  }
  await page.setViewportSize({ width: 1280, height: 900 })
}
