import { parseArgs } from 'node:util'
import { findBaseUrlError } from '../lib/config/urls.ts'
import { UsageError } from '../operator/errors.ts'
import { readPort } from '../operator/port.ts'
import { type FaultProfileName, faultProfileNames, faultProfiles } from './demo/fault-profiles.ts'
import type { Port } from './gateway/port.ts'
import { type LocalReceiver, readReceivers } from './receivers.ts'
import type { AcceptedCredentials } from './stand-in/platform.ts'

const defaultPort = 4510

const faultLines = faultProfileNames
  .map((name) => `${' '.repeat(21)}${name.padEnd(14)} ${faultProfiles[name].summary}`)
  .join('\n')

export const help = `Usage: npm start -- [options]

Run Longshore on this machine: run the demo, then serve until Ctrl-C.

  --once             exit after the demo, with code 0 if every step succeeded
  --config PATH      configuration file (default: longshore.config.ts)
  --port PORT        port of the API and its pages; 0 selects any free one (default: ${defaultPort}, or the next free one)
  --upstream URL     use a real platform instead of the stand-in, with the credentials in
                     LONGSHORE_APP_KEY and LONGSHORE_APP_TOKEN; counts the documents of the first
                     entity and asks before it reads them, except from
                     an address of this machine
  --yes              read the whole first entity of a real platform without a question
  --faults PROFILE   let the stand-in fail and see what Longshore does:
${faultLines}
  --like FILE        let the stand-in behave as a report of longshore probe --json describes
  --data DIR         keep the state and the stand-in's data in this folder between starts
  --partitions N     scroll the first entity in N ranges of createdIn (2 to 10)
  --help             show this help

To try alerts, set LONGSHORE_ALERT_SLACK, LONGSHORE_ALERT_TEAMS or LONGSHORE_ALERT_WEBHOOK to the address of a receiver.

EXAMPLES
  npm start
  npm start -- --once
  npm start -- --once --partitions 4
  npm start -- --faults lost-page
  npm start -- --like report.json
  LONGSHORE_ALERT_SLACK=https://hooks.slack.com/… npm start -- --faults shrink
  LONGSHORE_APP_KEY=… LONGSHORE_APP_TOKEN=… npm start -- --upstream https://shop.example.com
`

export interface Arguments {
  readonly once: boolean
  readonly help: boolean
  /** Whether the first entity of a real platform is read without a question. */
  readonly yes: boolean
  /** Path of the configuration file, if not the default. */
  readonly config: string | undefined
  readonly port: Port
  /** Number of ranges of the first entity, if not the configured one. */
  readonly partitions: number | undefined
  /** Path of the folder that keeps the state. */
  readonly data: string | undefined
  readonly platform: ChosenPlatform
  readonly receivers: readonly LocalReceiver[]
}

export type ChosenPlatform =
  | {
      readonly kind: 'stand-in'
      readonly faults: FaultProfileName | undefined
      /** Path of the report of a probe. */
      readonly like: string | undefined
    }
  | { readonly kind: 'real'; readonly baseUrl: string; readonly credentials: AcceptedCredentials }

export function readArguments(args: readonly string[], variables: NodeJS.ProcessEnv): Arguments {
  const { once, help, yes, config, port, partitions, data, ...platform } = parse(args)
  return {
    once,
    help,
    yes,
    config,
    port:
      port === undefined ? { kind: 'from', port: defaultPort } : { kind: 'exactly', port: readPort(port) },
    partitions: partitions === undefined ? undefined : readCount(partitions),
    data,
    platform: choosePlatform(platform, variables),
    receivers: readReceivers(variables),
  }
}

function parse(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        once: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false, short: 'h' },
        yes: { type: 'boolean', default: false, short: 'y' },
        config: { type: 'string' },
        port: { type: 'string' },
        partitions: { type: 'string' },
        upstream: { type: 'string' },
        faults: { type: 'string' },
        like: { type: 'string' },
        data: { type: 'string' },
      },
    })
    return values
  } catch (error) {
    // Node names the option, and then explains values that begin with a dash, which do not occur here.
    const [reason] = (error as Error).message.split('. ')
    throw new UsageError(`${reason?.replace(/\.$/, '')}.\n\n${help}`, { cause: error })
  }
}

function readCount(text: string): number {
  const count = Number(text)
  if (/^\d+$/.test(text) && count >= 2 && count <= 10) return count
  throw new UsageError(`--partitions: '${text}' is not a whole number from 2 to 10.`)
}

function choosePlatform(
  { upstream, faults, like }: Readonly<Partial<Record<'upstream' | 'faults' | 'like', string>>>,
  variables: NodeJS.ProcessEnv,
): ChosenPlatform {
  if (upstream === undefined) {
    return { kind: 'stand-in', faults: faults === undefined ? undefined : readProfile(faults), like }
  }
  if (faults === undefined && like === undefined) return realPlatform(upstream, variables)
  const option = faults === undefined ? '--like' : '--faults'
  throw new UsageError(`${option} cannot be combined with --upstream: only the stand-in behaves on request.`)
}

function readProfile(text: string): FaultProfileName {
  const name = faultProfileNames.find((each) => each === text)
  if (name) return name
  throw new UsageError(`--faults: '${text}' is not one of ${faultProfileNames.join(', ')}.`)
}

function realPlatform(baseUrl: string, variables: NodeJS.ProcessEnv): ChosenPlatform {
  const error = findBaseUrlError(baseUrl)
  if (error) throw new UsageError(`--upstream: ${error}`)
  const { LONGSHORE_APP_KEY: appKey, LONGSHORE_APP_TOKEN: appToken } = variables
  const missing = [!appKey && 'LONGSHORE_APP_KEY', !appToken && 'LONGSHORE_APP_TOKEN'].filter(Boolean)
  if (!appKey || !appToken) {
    throw new UsageError(
      `--upstream needs the platform's credentials: set the environment ${missing.length > 1 ? 'variables' : 'variable'} ${missing.join(' and ')}.`,
    )
  }
  return { kind: 'real', baseUrl: new URL(baseUrl).origin, credentials: { appKey, appToken } }
}
