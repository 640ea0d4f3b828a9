import { existsSync } from 'node:fs'

const places = [
  process.env['CHROMIUM_PATH'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]
const found = places.find((place) => place !== undefined && existsSync(place))

/** .ci/run sets the first, and the second too where it could not install a browser, which it says. */
const isNeeded =
  process.env['LONGSHORE_LEAVE_NOTHING_OUT'] !== undefined &&
  process.env['LONGSHORE_WITHOUT_BROWSER'] === undefined

/** Then tests that need one are skipped. */
export const isWithoutBrowser = found === undefined && !isNeeded

if (isWithoutBrowser) {
  process.stderr.write(
    'Nothing is tried in a browser: there is no Chromium here. Install one, or name it in CHROMIUM_PATH.\n',
  )
}

/** Throws where there is none. */
export function browserPath(): string {
  if (found) return found
  throw new Error('There is no Chromium here: install one, or name it in CHROMIUM_PATH.')
}
