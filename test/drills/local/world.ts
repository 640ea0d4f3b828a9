import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, vi } from 'vitest'
import type { Problem } from '../../../functions/problems/problem.ts'
import { type ConfigurationInput, resolveConfig } from '../../../lib/config.ts'
import { savedQueries } from '../../../lib/monitoring/saved-queries.ts'
import type { Bundle } from '../../../local/bundle.ts'
import { makeDocuments } from '../../../local/stand-in/documents.ts'
import { localCredentials, type Platform, startPlatform } from '../../../local/stand-in/platform.ts'
import { type CommandEnd, startCommand } from '../../command-line.ts'
import { startStandInBundle } from '../../integration/stand-in-bundle.ts'
import { type Counter, counted, type Drill } from '../drill.ts'
import { type Row, runQuery } from '../log-query.ts'
import { expectExecutions } from '../note-command.ts'
import type { QueryName } from '../pages.ts'

/** What an operator does on this machine. */
export interface LocalOperator {
  /** Runs a command as a script would. Standard input has the credentials that the platform accepts by default. */
  readonly longshore: (args: string, input?: object) => Promise<CommandEnd>
  /** Runs a command until this is true, then presses Ctrl-C. */
  readonly follow: (args: string, isDone: () => boolean) => Promise<CommandEnd>
  /** Runs a saved query on what the functions have logged since the last drill. */
  readonly query: (name: QueryName, id?: string) => Promise<Row[]>
  /** Calls the API. */
  readonly call: (
    path: string,
    init?: {
      readonly method?: string
      readonly headers?: Readonly<Record<string, string>>
      readonly body?: string
    },
  ) => Promise<Response>
}

export interface LocalWorld extends LocalOperator {
  readonly platform: Platform
  readonly bundle: Bundle
  /** The working directory, which is removed at the end. */
  readonly folder: string
  readonly lastRun: (entity: string) => Promise<{ runId: string; status: string; reason: string | null }>
  /** Waits until the change sets of an entity lead to its last run. */
  readonly compared: (entity: string) => Promise<void>
  /** Forgets what was logged so far, and cleans up after an earlier drill. */
  readonly begin: () => void
  readonly close: () => Promise<void>
}

export type LocalDrill = Drill<LocalWorld, LocalOperator>

export const waiting = { timeout: 60_000, interval: 200 }

/** The bundle of `npm start` on a stand-in platform. Changes environment and working directory of this process. */
export async function startLocalWorld(input: Partial<ConfigurationInput> = {}): Promise<LocalWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'longshore-test-'))
  const platform = await startPlatform({
    documents: { CL: makeDocuments(200), AD: makeDocuments(20) },
    docks: { d1: Buffer.from('{"id":"d1"}') },
  })
  const schedule = 'rate(1 day)'
  const configuration = {
    upstream: { baseUrl: platform.url, timeoutSeconds: 2 },
    entities: [
      { name: 'CL', schedule, pageSize: 50, increments: { schedule: 'rate(5 minutes)' } },
      { name: 'AD', schedule, pageSize: 5, columns: ['id', 'email'] },
    ],
    ...input,
  } satisfies ConfigurationInput
  const bundle = await startStandInBundle(resolveConfig(configuration), platform)
  const before = { directory: process.cwd(), variables: { ...process.env } }
  process.env['LONGSHORE_LOCAL'] = bundle.instanceFile
  process.chdir(folder)
  let forgotten = 0
  const logged = () => readFileSync(bundle.logFile, 'utf8').trim().split('\n').filter(Boolean)

  const longshore: LocalWorld['longshore'] = (args, input) => run(args, input).ended

  const lastRun: LocalWorld['lastRun'] = async (name) =>
    JSON.parse((await longshore(`runs ${name} --json`)).stdout).runs[0]

  return {
    platform,
    bundle,
    folder,
    longshore,
    lastRun,
    async follow(args, isDone) {
      const stopping = new AbortController()
      const running = run(args, localCredentials, stopping.signal).ended
      await Promise.race([running, vi.waitFor(() => expect(isDone()).toBe(true), waiting)])
      stopping.abort()
      return running
    },
    call: (path, init) =>
      fetch(`${bundle.apiUrl}${path}`, {
        ...init,
        headers: { authorization: 'AWS4-HMAC-SHA256 local', ...init?.headers },
      }),
    async query(name, id = '') {
      const lines = logged().slice(forgotten)
      return runQuery(
        savedQueries[name].text.replaceAll("'ID'", `'${id}'`),
        lines.map((line) => JSON.parse(line) as Row),
      )
    },
    async compared(entity) {
      const { runId } = await lastRun(entity)
      const tip = async () => JSON.parse((await longshore(`changes ${entity} --json`)).stdout).tip
      await vi.waitFor(async () => expect(await tip()).toBe(runId), waiting)
    },
    begin() {
      forgotten = logged().length
      process.env['LONGSHORE_LOCAL'] = bundle.instanceFile
      platform.faults.clear()
      platform.credentials.splice(0, platform.credentials.length, localCredentials)
    },
    async close() {
      process.chdir(before.directory)
      for (const name of Object.keys(process.env)) delete process.env[name]
      Object.assign(process.env, before.variables)
      await bundle.close('delete-log')
      await platform.close()
      rmSync(folder, { recursive: true })
      expectExecutions()
    },
  }
}

const run = (args: string, input: object = localCredentials, signal?: AbortSignal) =>
  startCommand(args.split(' '), { input: JSON.stringify(input), signal })

/** The same, with each step counted. */
export const countedOperator = (
  { longshore, follow, query, call }: LocalWorld,
  counter: Counter,
): LocalOperator => ({
  longshore: counted(longshore, counter),
  follow: counted(follow, counter),
  query: counted(query, counter),
  call: counted(call, counter),
})

export async function problemsOf({ longshore }: Pick<LocalOperator, 'longshore'>): Promise<Problem[]> {
  const { problems } = JSON.parse((await longshore('doctor --json')).stdout) as { problems: Problem[] }
  return problems.filter(({ level }) => level === 'problem')
}

/** Called at the end of the drill: the doctor finds no problem. */
export async function expectHealthy(operator: Pick<LocalOperator, 'longshore'>): Promise<void> {
  expect(await problemsOf(operator)).toEqual([])
}

export async function succeeds(result: Promise<CommandEnd>): Promise<CommandEnd> {
  const ended = await result
  // With everything that it printed, which explains a failure.
  expect(ended).toEqual({ ...ended, code: 0 })
  return ended
}

/** Starts syncs until one publishes: new credentials take effect within 10 seconds. */
export async function untilCredentialsWork({ longshore }: Pick<LocalOperator, 'longshore'>): Promise<void> {
  await vi.waitFor(async () => succeeds(longshore('sync AD --watch')), { timeout: 60_000, interval: 3_000 })
}

/** Waits until this is the newest row of a saved query: a line is written shortly after what it reports. */
export async function expectLogged(
  { query }: Pick<LocalOperator, 'query'>,
  name: QueryName,
  expected: Row,
): Promise<void> {
  await vi.waitFor(async () => expect((await query(name))[0]).toMatchObject(expected), waiting)
}
