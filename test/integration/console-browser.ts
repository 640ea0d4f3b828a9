import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, chromium, type Page } from 'playwright-core'
import { expect } from 'vitest'
import { browserPath } from '../chromium.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

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
  // axe is injected as a script, which the policy of the page would refuse.
  const context = await browser.newContext({ bypassCSP: false, viewport: { width: 1280, height: 900 } })
  const page = await context.newPage()
  page.setDefaultTimeout(15_000)
  const complaints: string[] = []
  page.on('pageerror', (error) => void complaints.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
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

/** Checks the accessibility of what is shown, in light and in dark colors. */
export async function expectAccessible(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    // Evaluated by the developer tools, to which the policy of the page does not apply.
    await page.evaluate(axe)
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
