import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const openers: Readonly<Partial<Record<NodeJS.Platform, readonly [command: string, ...args: string[]]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/** The program that opens a file, and its first arguments. */
const openerOf = (platform: NodeJS.Platform) => openers[platform] ?? (['xdg-open'] as const)

/**
 * Opens a URL that contains a token in the default browser. Every user of the machine can read command lines, so the
 * browser is given a file that only this user can read and that redirects. Without a browser nothing happens: the URL
 * is printed too. Returns what deletes the file.
 */
export function openBrowser(url: string, platform = process.platform) {
  const folder = mkdtempSync(join(tmpdir(), 'longshore-console-'))
  const file = join(folder, 'open.html')
  const page = `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0; url=${url}">\n`
  writeFileSync(file, page, { mode: 0o600 })
  const [command, ...args] = openerOf(platform)
  const child = spawn(command, [...args, file], { stdio: 'ignore', detached: true })
  child.on('error', () => undefined)
  child.unref()
  return { remove: () => rmSync(folder, { recursive: true, force: true }) }
}
