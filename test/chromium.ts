import { existsSync } from 'node:fs'

const places = [
  process.env['CHROMIUM_PATH'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]
const found = places.find((place) => place !== undefined && existsSync(place))

/** Checks may not pass over it in silence: .ci/run sets the second where it could not install a browser, and says so. */
const isNeeded = process.env['CI'] !== undefined && process.env['LONGSHORE_WITHOUT_BROWSER'] === undefined

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
