import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { CommandError } from '../../operator/errors.ts'
import type { ConsoleResponse } from './respond.ts'

const built = fileURLToPath(new URL('../../dist/console/', import.meta.url))

/** The files of the page by path. */
export type Assets = ReadonlyMap<string, ConsoleResponse & { readonly body: string }>

/** Reads the built page. Throws `CommandError`. */
export function readAssets(): Assets {
  if (!existsSync(built)) throw new CommandError('The console is not built yet.', { fix: 'npm run build' })
  const asset = (type: string, name: string) => ({
    status: 200,
    headers: { 'content-type': `${type}; charset=utf-8` },
    body: readFileSync(`${built}${name}`, 'utf8'),
  })
  return new Map([
    ['/', asset('text/html', 'index.html')],
    ['/console/console.js', asset('text/javascript', 'console.js')],
    ['/console/style.css', asset('text/css', 'style.css')],
  ])
}
