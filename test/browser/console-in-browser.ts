import { afterAll, beforeAll, beforeEach } from 'vitest'
import { onScroll } from '../../local/stand-in/faults.ts'
import { moveClockTo } from '../clock.ts'
import { type CliWorld, startCliWorld } from '../integration/cli-world.ts'
import { type ConsoleProcess, startConsole } from '../integration/console-process.ts'
import { type ConsoleBrowser, openConsole } from './console-browser.ts'

/** A deployment on embedded services, and its console in a browser. */
export interface ConsoleInBrowser {
  readonly world: CliWorld
  readonly browser: ConsoleBrowser
  /** Lets the platform wait before the headers of each page, until the end of the test. */
  readonly slowly: (beforeHeadersMs: number) => void
  /** Clicks a button and confirms what its dialog explains. Returns the explanation. */
  readonly act: (button: string, confirm: string) => Promise<string>
}

/** What a page shows does not depend on when its test runs. */
const consoleTime = '2026-11-25T19:15:00.000Z'

/**
 * Opens the console before the tests of a block and closes it after them. `prepare` fills the deployment first, and
 * returns flags of `longshore console`.
 */
export function consoleInBrowser(prepare: (world: CliWorld) => Promise<string>): ConsoleInBrowser {
  let world: CliWorld
  let started: ConsoleProcess
  let browser: ConsoleBrowser
  let resetClock: () => void

  beforeAll(async () => {
    resetClock = moveClockTo(consoleTime)
    world = await startCliWorld()
    started = await startConsole(world, await prepare(world))
    browser = await openConsole(started.url)
  })
  afterAll(async () => {
    await browser?.close()
    await started?.stop()
    await world?.close()
    resetClock()
  })
  beforeEach(() => {
    browser.complaints.length = 0
    world.platform.faults.clear()
  })

  return {
    get world() {
      return world
    },
    get browser() {
      return browser
    },
    slowly(beforeHeadersMs) {
      const fault = { kind: 'slow', beforeHeadersMs } as const
      world.platform.faults.add({ match: onScroll(), times: Number.POSITIVE_INFINITY, fault })
    },
    async act(button, confirm) {
      const { page } = browser
      await page.getByRole('button', { name: button, exact: true }).first().click()
      const dialog = page.getByRole('dialog')
      const text = await dialog.innerText()
      await dialog.getByRole('button', { name: confirm, exact: true }).click()
      await page.locator('dialog').waitFor({ state: 'detached' })
      return text
    },
  }
}
