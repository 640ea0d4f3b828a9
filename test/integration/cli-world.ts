import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, vi } from 'vitest'
import type { Terminal } from '../../cli/shell/terminal.ts'
import { readCompareTask } from '../../functions/compare/request.ts'
import { runCompareTask } from '../../functions/compare/run-task.ts'
import { awaitSlot } from '../../functions/worker/lifecycle/slot-wait.ts'
import { readWorkerRequest } from '../../functions/worker/request.ts'
import { compareResource, tablesResource, workerResource } from '../../lib/sync/state-machine.ts'
import { serveAwsJson } from '../../local/embedded/aws-json-server.ts'
import { awsEnvironment } from '../../local/embedded/environment.ts'
import { createSecrets } from '../../local/embedded/secrets-manager.ts'
import { createStepFunctions } from '../../local/embedded/step-functions.ts'
import { invoke } from '../../local/lambda.ts'
import { makeDocuments } from '../../local/stand-in/documents.ts'
import { startPlatform } from '../../local/stand-in/platform.ts'
import { createStateMachine } from '../../local/states/state-machine.ts'
import { type Surroundings, startCommand } from '../command-line.ts'
import { expectExecutions } from '../drills/note-command.ts'
import { serveSchedules } from '../serve-schedules.ts'
import { storedIn } from '../unit/operator/served-secrets.ts'
import { serveStacks } from './cli-account.ts'
import { apiSchedule, definedSchedule } from './daily-schedules.ts'
import { comparisonOn, type EmbeddedStores, startEmbeddedStores } from './embedded-stores.ts'
import { createLogGroups, type StoredEvent } from './log-groups.ts'
import { prepareApp } from './prepared-app.ts'
import { entitySettings, syncWorld } from './sync-world.ts'

const main = fileURLToPath(new URL('../../cli/main.ts', import.meta.url))

export const placeholder = JSON.stringify({ appKey: 'replace-me', appToken: 'replace-me' })

interface Beginning extends Surroundings {
  readonly config?: string
}

export type CliWorld = Awaited<ReturnType<typeof startCliWorld>>

/**
 * A deployment with the entities CL (95 documents) and AD (5 documents) on embedded services, and the command line
 * against it. The checkout synthesizes to the templates that are deployed at the start. Changes the environment and the working directory of this process.
 */
export async function startCliWorld() {
  const folder = mkdtempSync(join(tmpdir(), 'longshore-test-'))
  const stores = await startEmbeddedStores()
  const platform = await startPlatform({ documents: { CL: makeDocuments(95), AD: makeDocuments(5) } })
  const world = syncWorld({ stores, platform }, [
    entitySettings('CL', { increments: { schedule: 'rate(5 minutes)', lookbackMinutes: 60 } }),
    entitySettings('AD'),
  ])
  const comparison = comparisonOn(stores, Date.now, () => world.settings.entities)
  const secrets = createSecrets({ 'the-secret': placeholder })
  const secret = storedIn(secrets, 'the-secret')
  /** Observers see that a run has ended before its worker has released the lease. */
  const invocations = new Set<Promise<unknown>>()
  function tracked<T>(invoke: () => Promise<T>): Promise<T> {
    const invocation = invoke()
    const settled = invocation.catch(() => {}).finally(() => invocations.delete(settled))
    invocations.add(settled)
    return invocation
  }
  /** What a task of tables waits for. */
  let tables: Promise<void> | undefined
  const stepFunctions = createStepFunctions(
    createStateMachine({
      invoke,
      functions: {
        [workerResource]: (event) =>
          tracked(async () => {
            const read = readWorkerRequest(event)
            if (read.kind === 'invalid') throw new Error(read.reason)
            if (read.kind === 'await-slot') return awaitSlot(world.world, read.wait)
            return world.callWorker(read.request)
          }),
        [compareResource]: (event) =>
          tracked(() => runCompareTask(comparison, world.settings.entities, readCompareTask(event))),
        [tablesResource]: async () => {
          await tables
          return { status: 'off' }
        },
      },
    }),
  )
  const logGroups = new Map<string, StoredEvent[]>(
    ['WorkerLogs1', 'CompareLogs1', 'MachineLogs1', 'SyncApiLogs1', 'ProxyLogs1'].map((group) => [group, []]),
  )
  const services = await serveAwsJson({
    ...secrets,
    ...stepFunctions.operations,
    ...createLogGroups(logGroups),
  })
  const templates = {
    LongshoreApi: {},
    LongshoreStorage: {},
    LongshoreSync: {
      Resources: Object.fromEntries(
        ['CL', 'AD'].map((entity) => [`schedule-${entity}`, { Properties: definedSchedule(entity) }]),
      ),
    },
  }
  const stacks = await serveStacks(
    {
      LongshoreApi: { ApiUrl: 'https://api.example.com' },
      LongshoreSync: { SyncStateMachineArn: stepFunctions.stateMachineArn },
      LongshoreStorage: {
        SnapshotBucketName: stores.bucket,
        StateTableName: stores.table,
        CredentialsSecretArn: 'the-secret',
      },
    },
    {
      LongshoreSync: {
        'AWS::Scheduler::Schedule': ['schedule-CL', 'schedule-AD'],
        'AWS::IAM::Role': ['SchedulerRole1'],
        'AWS::SQS::Queue': ['StartDeadLetters1'],
        'AWS::Logs::LogGroup': ['WorkerLogs1', 'CompareLogs1', 'MachineLogs1'],
      },
      LongshoreApi: { 'AWS::Logs::LogGroup': ['SyncApiLogs1', 'ProxyLogs1'] },
    },
    templates,
  )
  const app = prepareApp(join(folder, 'app'), templates)
  const schedules = new Map(['CL', 'AD'].map((entity) => [`schedule-${entity}`, apiSchedule(entity)]))
  const scheduler = await serveSchedules(schedules)
  const variables = {
    ...awsEnvironment({
      dynamoDb: await endpointOf(stores.dynamodb),
      s3: await endpointOf(stores.s3),
      secretsManager: services.endpoint,
      stepFunctions: services.endpoint,
    }),
    AWS_ENDPOINT_URL_CLOUDFORMATION: stacks.endpoint,
    AWS_ENDPOINT_URL_STS: stacks.endpoint,
    AWS_ENDPOINT_URL_CLOUDWATCH_LOGS: services.endpoint,
    AWS_ENDPOINT_URL_SCHEDULER: scheduler.endpoint,
    ...app.environment,
    NO_COLOR: '1',
  }
  const before = { directory: process.cwd(), variables: { ...process.env } }
  Object.assign(process.env, variables)
  process.chdir(folder)

  /** Writes a configuration whose entities have these additional keys, and returns its path. */
  function writeConfiguration(name: string, entity: object, names = ['CL', 'AD']): string {
    const path = join(folder, name)
    const entities = names.map((each) => ({ name: each, schedule: 'rate(1 day)', pageSize: 10, ...entity }))
    writeFileSync(path, JSON.stringify({ upstream: { baseUrl: platform.url }, entities }))
    return path
  }
  const configuration = writeConfiguration('config.json', {})

  /** Starts a command as a process of its own, for signals and for a clock of its own. */
  function start(args: string, environment: Readonly<Record<string, string>> = {}) {
    const config = args.includes('--config') ? [] : ['--config', configuration]
    const argv = [main, ...args.split(' '), ...config]
    return spawn(process.execPath, argv, { cwd: folder, env: { ...process.env, ...environment } })
  }

  /** Begins a command in this process. Its output can be read while it runs. */
  const begin = (args: string, { config = configuration, ...surroundings }: Beginning = {}) =>
    startCommand([...args.split(' '), '--config', config], surroundings)

  /** Lets the tasks of tables wait until the returned function is called. */
  function holdTables(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>()
    tables = promise
    return resolve
  }

  return {
    holdTables,
    folder,
    stores,
    platform,
    secret,
    schedules,
    templates,
    app,
    logGroups,
    world,
    snapshot: world.snapshot,
    writeConfiguration,
    start,

    begin,

    /** Runs a command in this process without a terminal, as a script would. */
    longshore: (args: string, input = '', config = configuration) => begin(args, { input, config }).ended,

    /** Runs a command in this process for a person who answers its prompts. */
    longshoreFor: (person: Partial<Terminal>, args: string, config = configuration) =>
      begin(args, { person, config }).ended,

    /** Runs a command as a process with this environment. */
    async longshoreProcess(args: string, environment: Readonly<Record<string, string>>) {
      const child = start(args, environment)
      child.stdin.end()
      const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)]
      const [code] = (await once(child, 'close')) as [number]
      return { code, stdout: stdout.text, stderr: stderr.text }
    },

    async close() {
      process.chdir(before.directory)
      for (const name of Object.keys(variables)) delete process.env[name]
      Object.assign(process.env, before.variables)
      stepFunctions.close()
      // A worker that waits for the platform fails then, and ends.
      await platform.close()
      await Promise.all(invocations)
      await Promise.all([services, stacks, scheduler, stores].map((each) => each.close()))
      rmSync(folder, { recursive: true })
      expectExecutions()
    },
  }
}

async function endpointOf(client: EmbeddedStores['dynamodb'] | EmbeddedStores['s3']): Promise<string> {
  const endpoint = await client.config.endpoint?.()
  return `http://${endpoint?.hostname}:${endpoint?.port}`
}

export function collect(stream: NodeJS.ReadableStream) {
  const output = { text: '' }
  stream.on('data', (chunk: Buffer) => {
    output.text += String(chunk)
  })
  return output
}

export const until = (output: { text: string }, part: string) =>
  vi.waitFor(() => expect(output.text).toContain(part), 60_000)
