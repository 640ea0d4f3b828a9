import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isLoopback } from '../../lib/config/urls.ts'
import { UsageError } from '../shell/errors.ts'

/** Where a running `npm start` is found: through the file that it writes, or at its URL. */
export type LocalAddress =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'url'; readonly url: string }

export const localVariable = 'LONGSHORE_LOCAL'

const defaultFile = fileURLToPath(new URL('../../.longshore/local.json', import.meta.url))

/** Values that turn local mode off or on without naming a place. */
const off = ['', '0', 'false']
const on = ['1', 'true']

/** Whether the variable selects local mode for every command. */
export function isLocalByDefault(value: string | undefined): boolean {
  return value !== undefined && !off.includes(value)
}

/** The file of `npm start` in this checkout. */
export const defaultAddress = { kind: 'file', path: defaultFile } as const satisfies LocalAddress

/** Reads the value of `LONGSHORE_LOCAL`: 1, a path or a URL. Throws `UsageError`. */
export function readLocalAddress(value = ''): LocalAddress {
  if (off.includes(value) || on.includes(value)) return defaultAddress
  if (!/^\w+:\/\//.test(value)) return { kind: 'file', path: resolve(value) }
  const url = URL.parse(value)
  // The commands trust what this address returns, so it must not leave the machine.
  if (url?.protocol !== 'http:' || !isLoopback(url.hostname)) {
    throw new UsageError(
      `${localVariable}: '${value}' is not the URL of a running npm start, such as http://127.0.0.1:4510.`,
    )
  }
  return { kind: 'url', url: url.origin }
}
