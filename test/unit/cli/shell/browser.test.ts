import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { openBrowser } from '../../../../cli/shell/browser.ts'
import { temporaryFolder } from '../../../temporary-folder.ts'

const folder = temporaryFolder()
afterEach(() => vi.unstubAllEnvs())

const url = 'http://127.0.0.1:4511/?token=the-token'

it.each([
  ['darwin', 'open', ''],
  ['win32', 'rundll32', 'url.dll,FileProtocolHandler '],
  ['linux', 'xdg-open', ''],
] as const)(
  'the console hands its URL to the browser of %s in a private file, since every user can read command lines',
  async (platform, name, first) => {
    const record = join(folder, `arguments of ${name}`)
    const script = `#!/bin/sh\nprintf %s "$*" > '${record}~'; mv '${record}~' '${record}'\n`
    writeFileSync(join(folder, name), script, { mode: 0o700 })
    vi.stubEnv('PATH', `${folder}:${process.env['PATH']}`)
    const opened = openBrowser(url, platform)
    await vi.waitFor(() => expect(existsSync(record)).toBe(true), 60_000)
    const line = readFileSync(record, 'utf8')
    expect(line.startsWith(first)).toBe(true)
    const file = line.slice(first.length)
    expect(file).toMatch(/^\S+longshore-console-\w+\/open\.html$/)
    expect([statSync(file).mode & 0o777, statSync(dirname(file)).mode & 0o777]).toEqual([0o600, 0o700])
    expect(readFileSync(file, 'utf8')).toBe(
      `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0; url=${url}">\n`,
    )
    opened.remove()
    expect(existsSync(dirname(file))).toBe(false)
    expect(() => opened.remove()).not.toThrow()
  },
)

it('the console works without a browser', async () => {
  vi.stubEnv('PATH', join(folder, 'nothing'))
  const opened = openBrowser(url)
  // An error of the process that was not started would fail this file.
  await new Promise((done) => setTimeout(done, 100))
  expect(() => opened.remove()).not.toThrow()
})
