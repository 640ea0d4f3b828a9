import { parseArgs } from 'node:util'
import { findBaseUrlMistake } from '../lib/config/urls.ts'
import type { AcceptedCredentials } from './platform/platform.ts'

export const help = `Usage: npm start -- [options]

Runs Longshore on this machine, shows its main job and serves until Ctrl-C.

  --once             end after the show: exit code 0 if all of it worked
  --config PATH      another configuration than longshore.config.ts
  --upstream URL     a real platform instead of the stand-in; its keys come from
                     LONGSHORE_APP_KEY and LONGSHORE_APP_TOKEN
  --help             this text
`

export interface Arguments {
  readonly once: boolean
  readonly help: boolean
  /** Path of the configuration, if not the usual one. */
  readonly config: string | undefined
  readonly upstream: { readonly baseUrl: string; readonly credentials: AcceptedCredentials } | undefined
}

/** The command line cannot be used; the message says what would be right. */
export class ArgumentsError extends Error {
  override readonly name = 'ArgumentsError'
}

export function readArguments(args: readonly string[], variables: NodeJS.ProcessEnv): Arguments {
  const { once, help, config, upstream } = parse(args)
  return {
    once,
    help,
    config,
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
        upstream: { type: 'string' },
      },
    })
    return values
  } catch (error) {
    // Node says which option, and then how a value could begin with a dash, which none of ours does.
    const [reason] = (error as Error).message.split('. ')
    throw new ArgumentsError(`${reason?.replace(/\.$/, '')}.\n\n${help}`, { cause: error })
  }
}

function realPlatform(baseUrl: string, variables: NodeJS.ProcessEnv) {
  const mistake = findBaseUrlMistake(baseUrl)
  if (mistake) throw new ArgumentsError(`--upstream: ${mistake}`)
  const { LONGSHORE_APP_KEY: appKey, LONGSHORE_APP_TOKEN: appToken } = variables
  const missing = [!appKey && 'LONGSHORE_APP_KEY', !appToken && 'LONGSHORE_APP_TOKEN'].filter(Boolean)
  if (!appKey || !appToken) {
    throw new ArgumentsError(
      `--upstream needs the platform's keys: set the environment ${missing.length > 1 ? 'variables' : 'variable'} ${missing.join(' and ')}.`,
    )
  }
  return { baseUrl: new URL(baseUrl).origin, credentials: { appKey, appToken } }
}
