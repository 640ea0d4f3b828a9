import { ConfigurationError, type ConfigurationInput, resolveConfig } from '../../lib/config.ts'
import { UsageError } from '../../operator/errors.ts'
import type { Terminal } from '../shell/terminal.ts'
import type { InitialConfiguration, InitialEntity } from './configuration-file.ts'

/** What was given on the command line. What is missing is asked for. `entities`: names, separated by commas. */
export type Given = Readonly<
  Record<'baseUrl' | 'headerPrefix' | 'account' | 'entities' | 'schedule', string | undefined>
>

export const defaultHeaderPrefix = 'X-SVC'
export const defaultSchedule = 'rate(6 hours)'

/** Completes the given values with answers, or with defaults without a terminal. Throws `UsageError`. */
export async function completeAnswers(given: Given, terminal: Terminal): Promise<InitialConfiguration> {
  if (terminal.isInteractive) return ask(given, terminal)
  const { baseUrl, headerPrefix, account, entities, schedule } = given
  if (baseUrl === undefined || entities === undefined) {
    throw new UsageError('Without a terminal, init needs --base-url and --entities.')
  }
  return {
    upstream: upstreamOf({ baseUrl, headerPrefix: headerPrefix ?? defaultHeaderPrefix, account }),
    entities: namesIn(entities).map((name) => ({ name, schedule: schedule ?? defaultSchedule })),
  }
}

/** No account, or an empty one, leaves the key out. */
function upstreamOf({
  account,
  ...upstream
}: Omit<InitialConfiguration['upstream'], 'account'> & { readonly account: string | undefined }) {
  return account ? { ...upstream, account } : upstream
}

const exampleUrl = 'https://shop.example.com'
const exampleUpstream = { baseUrl: exampleUrl, headerPrefix: defaultHeaderPrefix }
const withEntities = (entities: InitialEntity[]) => ({ upstream: { baseUrl: exampleUrl }, entities })

async function ask(given: Given, terminal: Terminal): Promise<InitialConfiguration> {
  const baseUrl =
    given.baseUrl ??
    (await terminal.ask({
      message: 'Address of the platform',
      placeholder: exampleUrl,
      findError: (value) => errorIn({ upstream: { baseUrl: value } }),
    }))
  const headerPrefix =
    given.headerPrefix ??
    (await terminal.ask({
      message: 'Prefix of its headers, as in X-SVC-API-AppKey',
      initial: defaultHeaderPrefix,
      findError: (value) => errorIn({ upstream: { baseUrl: exampleUrl, headerPrefix: value } }),
    }))
  const account =
    given.account ??
    (await terminal.ask({
      message: 'Account name that callers may send as `an` (empty for none)',
      placeholder: 'shop',
      findError: (value) => errorIn({ upstream: upstreamOf({ ...exampleUpstream, account: value.trim() }) }),
    }))
  const names =
    given.entities ??
    (await terminal.ask({
      message: 'Data entities to sync, separated by commas (empty for none)',
      placeholder: 'CL,AD',
      findError: (value) =>
        errorIn(withEntities(namesIn(value).map((name) => ({ name, schedule: defaultSchedule })))),
    }))
  const entities: InitialEntity[] = []
  for (const name of namesIn(names)) entities.push(await askSchedule(name, given, terminal))
  return { upstream: upstreamOf({ baseUrl, headerPrefix, account: account.trim() }), entities }
}

async function askSchedule(name: string, given: Given, terminal: Terminal): Promise<InitialEntity> {
  if (given.schedule !== undefined) return { name, schedule: given.schedule }
  const schedule = await terminal.ask({
    message: `Schedule of ${name}: rate(…) or cron(minutes hours day-of-month month day-of-week year)`,
    initial: defaultSchedule,
    findError: (value) => errorIn(withEntities([{ name: 'CL', schedule: value }])),
  })
  if (!schedule.startsWith('cron')) return { name, schedule }
  const timezone = await terminal.ask({
    message: `Time zone of this schedule`,
    initial: 'UTC',
    findError: (value) => errorIn(withEntities([{ name: 'CL', schedule, timezone: value }])),
  })
  return timezone === 'UTC' ? { name, schedule } : { name, schedule, timezone }
}

const namesIn = (list: string) =>
  list
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean)

/** The first error of a configuration, without the path to its key. */
function errorIn(configuration: ConfigurationInput): string | undefined {
  try {
    resolveConfig(configuration, undefined, { schedules: 'must-run' })
    return undefined
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    return error.errors[0]?.replace(/^[\w.[\]]+: /, '')
  }
}
