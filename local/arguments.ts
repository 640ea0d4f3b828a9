import { parseArgs } from 'node:util'
import { findBaseUrlMistake } from '../lib/config/urls.ts'
import type { Port } from './gateway/port.ts'
import type { AcceptedCredentials } from './platform/platform.ts'

const defaultPort = 4510

export const help = `Usage: npm start -- [options]

Run Longshore on this machine: run the demo, then serve until Ctrl-C.

  --once             exit after the demo, with code 0 if every step succeeded
  --config PATH      configuration file (default: longshore.config.ts)
  --port PORT        port of the API and its pages; 0 is any free one (default: ${defaultPort}, or the next free one)
  --upstream URL     use a real platform instead of the stand-in, with the credentials in
                     LONGSHORE_APP_KEY and LONGSHORE_APP_TOKEN
  --partitions N     scroll the first entity in N ranges of createdIn (2 to 10)
  --help             show this help

EXAMPLES
  npm start
  npm start -- --once
  npm start -- --once --partitions 4
  LONGSHORE_APP_KEY=… LONGSHORE_APP_TOKEN=… npm start -- --upstream https://shop.example.com
`

export interface Arguments {
  readonly once: boolean
  readonly help: boolean
  /** Path of the configuration file, if not the default. */
  readonly config: string | undefined
  readonly port: Port
  /** Number of ranges of the first entity, if not the configured one. */
  readonly partitions: number | undefined
  readonly upstream: { readonly baseUrl: string; readonly credentials: AcceptedCredentials } | undefined
}

/** The command line is invalid. The message says how to correct it. */
export class ArgumentsError extends Error {
  override readonly name = 'ArgumentsError'
}

export function readArguments(args: readonly string[], variables: NodeJS.ProcessEnv): Arguments {
  const { once, help, config, port, partitions, upstream } = parse(args)
  return {
    once,
    help,
    config,
    port:
      port === undefined ? { kind: 'from', port: defaultPort } : { kind: 'exactly', port: readPort(port) },
    partitions: partitions === undefined ? undefined : readCount(partitions),
    upstream: upstream === undefined ? undefined : realPlatform(upstream, variables),
  }
}

function parse(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        once: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false, short: 'h' },
        config: { type: 'string' },
        port: { type: 'string' },
        partitions: { type: 'string' },
        upstream: { type: 'string' },
      },
    })
    return values
  } catch (error) {
    // Node names the option, and then explains values that begin with a dash, which do not occur here.
    const [reason] = (error as Error).message.split('. ')
    throw new ArgumentsError(`${reason?.replace(/\.$/, '')}.\n\n${help}`, { cause: error })
  }
}

function readCount(text: string): number {
  const count = Number(text)
  if (/^\d+$/.test(text) && count >= 2 && count <= 10) return count
  throw new ArgumentsError(`--partitions: '${text}' is not a whole number from 2 to 10.`)
}

const maxPort = 65_535

function readPort(text: string): number {
  const port = Number(text)
  if (/^\d+$/.test(text) && port <= maxPort) return port
  throw new ArgumentsError(`--port: '${text}' is not a number from 0 to ${maxPort}.`)
}

function realPlatform(baseUrl: string, variables: NodeJS.ProcessEnv) {
  const mistake = findBaseUrlMistake(baseUrl)
  if (mistake) throw new ArgumentsError(`--upstream: ${mistake}`)
  const { LONGSHORE_APP_KEY: appKey, LONGSHORE_APP_TOKEN: appToken } = variables
  const missing = [!appKey && 'LONGSHORE_APP_KEY', !appToken && 'LONGSHORE_APP_TOKEN'].filter(Boolean)
  if (!appKey || !appToken) {
    throw new ArgumentsError(
      `--upstream needs the platform's credentials: set the environment ${missing.length > 1 ? 'variables' : 'variable'} ${missing.join(' and ')}.`,
    )
  }
  return { baseUrl: new URL(baseUrl).origin, credentials: { appKey, appToken } }
}
