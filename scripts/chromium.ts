import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const places = [
  process.env['CHROMIUM_PATH'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]
const found = places.find((place) => place !== undefined && existsSync(place))

/** .ci/run sets the first variable, and the second if it cannot install a browser. */
const isNeeded =
  process.env['LONGSHORE_LEAVE_NOTHING_OUT'] !== undefined &&
  process.env['LONGSHORE_WITHOUT_BROWSER'] === undefined

/** If true, tests that need a browser are skipped. */
export const isWithoutBrowser = found === undefined && !isNeeded

if (isWithoutBrowser) {
  process.stderr.write('Skipping browser tests: Chromium not found. Install it or set CHROMIUM_PATH.\n')
}

/** Throws if no browser was found. */
export function launchBrowser(): Promise<Browser> {
  if (!found) throw new Error('Chromium not found. Install it or set CHROMIUM_PATH.')
  // Chromium's sandbox does not work in containers; the pages are our own.
  return chromium.launch({ executablePath: found, args: ['--no-sandbox'] })
}
