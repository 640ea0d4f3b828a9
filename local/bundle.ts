import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Console, createConsole } from '../console/server/console.ts'
import { apiFunctions, apiRoutes, type FunctionName } from '../functions/http/lambda-functions.ts'
import { localCommandLine } from '../functions/runtime/command-line.ts'
import { environment, settingsFileName } from '../functions/runtime/environment.ts'
import type { Settings } from '../functions/runtime/settings.ts'
import { type Configuration, settingsOf } from '../lib/config.ts'
import { corsOf } from '../lib/cors.ts'
import { compareResource, tablesResource, workerResource } from '../lib/sync/state-machine.ts'
import { type LocalTarget, localDeployment } from '../operator/deployment/deployment.ts'
import { defaultInstancePath } from '../operator/deployment/local-address.ts'
import type { LocalInstance, PublicInstance } from '../operator/deployment/local-instance.ts'
import { publicInstancePath } from '../operator/deployment/local-instance.ts'
import { inspectDeployment } from '../operator/doctor/inspect-deployment.ts'
import { explainPort } from '../operator/port.ts'
import { silentReporter } from '../operator/reporter.ts'
import { openSyncs } from '../operator/sync/syncs.ts'
import { builtFile, builtFunction } from './built-function.ts'
import { createClockPage } from './clock/clock-page.ts'
import { LocalClock } from './clock/local-clock.ts'
import { passTime } from './clock/pass-time.ts'
import type { DataFolder } from './data-folder.ts'
import { serveAwsJson } from './embedded/aws-json-server.ts'
import { startDynamoDb } from './embedded/dynamodb.aws.ts'
import { awsEnvironment } from './embedded/environment.ts'
import { createEventBus, type RecordedEvent } from './embedded/event-bridge.ts'
import { serveLambda } from './embedded/lambda.ts'
import { startS3 } from './embedded/s3.ts'
import { createSecrets } from './embedded/secrets-manager.ts'
import { createStepFunctions } from './embedded/step-functions.ts'
import { serveTopic, topicArn } from './embedded/topic.ts'
import { startGateway } from './gateway/gateway.ts'
import { jsonResult } from './gateway/gateway-result.ts'
import type { Port } from './gateway/port.ts'
import { isRegistered, writeInstanceFile } from './instance-file.ts'
import { invoke, invokeAtMost } from './lambda.ts'
import { alertSecrets, type LocalReceiver, localAlerts } from './receivers.ts'
import { referencePage } from './reference-page.ts'
import { RunningCalls } from './running-calls.ts'
import { Scheduler } from './schedules/scheduler.ts'
import { loadProgress, localSchedules, saveProgress } from './schedules/schedules.ts'
import { createStateMachine } from './states/state-machine.ts'
import { sendConsoleTo } from './thread/console-log.ts'
import { createKillableFunction } from './thread/killable-function.ts'

export interface Bundle {
  readonly settings: Settings
  /** What other processes of this user need to use the bundle. */
  readonly instance: LocalInstance
  /** The file with `instance`. Only this user can read it. */
  readonly instanceFile: string
  readonly apiUrl: string
  /** The operator's console. Its token works once. */
  readonly consoleUrl: string
  /** The functions' log, one JSON object per line. */
  readonly logFile: string
  /** Events that were put on the event bus. */
  readonly events: readonly RecordedEvent[]
  /** Looks for problems, as the bundle does once a minute: the API shows what the last look found. */
  readonly look: () => Promise<unknown>
  /** Starts what is due by the schedules from now on. The demo comes first. */
  readonly runSchedules: () => void
  /** Kills the worker that is running, if the worker is killable. */
  readonly killWorker: () => void
  /** Stops all services. */
  close(log: 'delete-log' | 'keep-log'): Promise<void>
}

export interface BundleOptions {
  readonly configuration: Configuration
  /** The platform's URL, in place of the configured one. */
  readonly baseUrl: string
  readonly platform: PublicInstance['platform']
  readonly credentials: { readonly appKey: string; readonly appToken: string }
  /** Shows what a deployment mails to people. */
  readonly mail: (subject: string, text: string) => void
  readonly receivers: readonly LocalReceiver[]
  /** Where the gateway listens. */
  readonly port: Port
  /** Where the table and the bucket are kept; in memory if undefined. */
  readonly folders: Pick<DataFolder, 'table' | 'bucket' | 'schedules'> | undefined
  readonly worker: 'in-process' | 'killable'
}

/** Of state machine and schedules: more than syncs and increments at once, so that runs that wait are not held up. */
const maxInvocations = 20
/** On AWS, a rule does it every 5 minutes. */
const lookIntervalMs = 60_000
const lookSeconds = 60

/** How long calls that are running when the bundle is closed may take to end. */
const closeMs = 1_000
const table = 'LongshoreState'
const bucket = 'longshore-snapshots'
const secret = 'longshore-credentials'
const publisher = 'publisher'

/** Variables of the developer that the SDK would prefer to ours. */
const misleading = [
  'AWS_PROFILE',
  'AWS_DEFAULT_PROFILE',
  'AWS_SESSION_TOKEN',
  'AWS_IGNORE_CONFIGURED_ENDPOINT_URLS',
]

let isStarted = false

/** Starts the built functions on embedded services. Once per process: they read their environment when loaded. */
export async function startBundle(options: BundleOptions): Promise<Bundle> {
  if (isStarted) throw new Error('This process has started the bundle before.')
  isStarted = true
  const { baseUrl, credentials, port, folders, receivers } = options
  const configuration = { ...options.configuration, alerts: localAlerts(receivers, options.configuration) }
  const { appKey, appToken } = credentials
  const own = settingsOf(configuration)
  const settings = { ...own, credentials: {}, upstream: { ...own.upstream, baseUrl } }
  const folder = mkdtempSync(join(tmpdir(), 'longshore-'))
  writeFileSync(join(folder, settingsFileName), JSON.stringify(settings))
  const logFile = join(folder, 'functions.log')
  sendConsoleTo(logFile)

  const progress = loadProgress(folders?.schedules, Date.now())
  const clock = new LocalClock(progress.aheadMs)
  const calls = new RunningCalls()
  const inProcess = (name: FunctionName) => calls.track(builtFunction(name))
  const worker =
    options.worker === 'killable'
      ? createKillableFunction({ file: builtFile('worker').href, logFile, clock: clock.shared })
      : { handler: inProcess('worker'), kill: async () => undefined }
  const [compare, tables] = [inProcess('compare'), inProcess('tables')]
  const [dynamoDb, s3, topic, lambda] = await Promise.all([
    startDynamoDb({ table, folder: folders?.table }),
    startS3({ bucket, folder: folders?.bucket }),
    serveTopic(options.mail),
    // Not in turn: the worker that invokes it has one of the places.
    serveLambda({ [publisher]: inProcess('publisher') }),
  ])
  const secrets = createSecrets({
    [secret]: JSON.stringify({ appKey, appToken }),
    ...alertSecrets(receivers),
  })
  const bus = createEventBus()
  const invokeInTurn = invokeAtMost(maxInvocations)
  const stateMachine = createStateMachine({
    invoke: invokeInTurn,
    sleep: (ms, interrupted) => clock.sleep(ms, interrupted),
    functions: { [workerResource]: worker.handler, [compareResource]: compare, [tablesResource]: tables },
  })
  const stepFunctions = createStepFunctions(stateMachine)
  const services = await serveAwsJson({ ...secrets, ...bus.operations, ...stepFunctions.operations })
  const awsVariables = awsEnvironment({
    dynamoDb: dynamoDb.endpoint,
    s3: s3.endpoint,
    secretsManager: services.endpoint,
    eventBridge: services.endpoint,
    stepFunctions: services.endpoint,
    lambda: lambda.endpoint,
    topic: topic.endpoint,
  })
  for (const name of misleading) delete process.env[name]
  Object.assign(process.env, {
    ...awsVariables,
    LAMBDA_TASK_ROOT: folder,
    [environment.table]: table,
    [environment.bucket]: bucket,
    [environment.stateMachine]: stepFunctions.stateMachineArn,
    [environment.publisher]: publisher,
    [environment.alarmsTopic]: topicArn,
    [environment.commandLine]: localCommandLine,
    ...Object.fromEntries(Object.values(environment.credentials).map((variable) => [variable, secret])),
  })
  const publicInstance: PublicInstance = {
    startedAt: new Date().toISOString(),
    platform: options.platform,
    baseUrl,
    aheadMs: clock.aheadMs,
  }
  const { startsAt } = progress
  const scheduler = new Scheduler({
    schedules: localSchedules(configuration, startsAt, {
      startExecution: stepFunctions.start,
      invoke: invokeInTurn,
      worker: worker.handler,
      compare,
      tables,
    }),
    ranUntil: progress.ranUntil,
    onRun: (ranUntil) =>
      folders && saveProgress(folders.schedules, { startsAt, ranUntil, aheadMs: clock.aheadMs }),
  })
  const clockToken = randomBytes(24).toString('base64url')
  const clockPage = createClockPage({
    token: clockToken,
    platform: options.platform,
    passTime: async (ms) => {
      await passTime({ clock, scheduler, stateMachine }, ms)
      scheduler.save()
      await look()
    },
  })
  let operatorConsole: Console | undefined
  const gateway = await startGateway({
    port,
    pages: {
      owns: (path) => clockPage.owns(path) || (operatorConsole?.owns(path) ?? false),
      respond: async (request, response) =>
        clockPage.owns(request.url ?? '')
          ? clockPage.respond(request, response)
          : operatorConsole?.respondTo(request, response),
    },
    page: (path) =>
      path === publicInstancePath
        ? jsonResult({ ...publicInstance, aheadMs: clock.aheadMs })
        : referencePage(path),
    cors: configuration.cors.length > 0 ? corsOf(configuration) : undefined,
    routes: apiFunctions.flatMap((name) => {
      const handler = inProcess(name)
      return apiRoutes(settings.endpoints)[name].map(({ method, path }) => ({ method, path, handler }))
    }),
  }).catch((error: unknown) => {
    throw explainPort(port.port, error)
  })

  const instance: LocalInstance = {
    startedAt: publicInstance.startedAt,
    schedulesSince: new Date(startsAt).toISOString(),
    apiUrl: gateway.endpoint,
    configuration: { ...configuration, upstream: settings.upstream },
    bucket,
    table,
    stateMachineArn: stepFunctions.stateMachineArn,
    secretId: secret,
    logFile,
    clockToken,
    environment: awsVariables,
  }
  const instanceFile = join(folder, 'local.json')
  writeInstanceFile(instanceFile, instance)
  operatorConsole = await openConsole(instance, instanceFile)
  const freshness = inProcess('look')
  const look = () => invoke(freshness, {}, lookSeconds)
  // The function logs why a look failed.
  const looking = setInterval(() => void look().catch(() => undefined), lookIntervalMs).unref()

  return {
    settings,
    consoleUrl: `${gateway.endpoint}/?token=${operatorConsole.token}`,
    instance,
    instanceFile,
    apiUrl: gateway.endpoint,
    logFile,
    events: bus.events,
    look,
    runSchedules: () => scheduler.run(),
    killWorker: () => void worker.kill(),
    async close(log) {
      clearInterval(looking)
      scheduler.stop()
      clock.undo()
      stepFunctions.close()
      await Promise.all([worker.kill(), gateway.close()])
      // The database throws if it is closed under a request.
      await calls.end(closeMs)
      await Promise.all([services, s3, topic, lambda].map((server) => server.close()))
      await dynamoDb.close()
      rmSync(instanceFile, { force: true })
      if (log === 'delete-log') rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The console of this `npm start`, which the file at `path` describes. AWS clients must use its services. */
function openConsole(instance: LocalInstance, path: string): Promise<Console> {
  const deployment = localDeployment(instance)
  // With `--local`, commands reach the `npm start` that was started first.
  const target = (): LocalTarget => ({
    kind: 'local',
    path: isRegistered(defaultInstancePath, instance) ? defaultInstancePath : path,
  })
  return createConsole({
    deployment,
    syncs: openSyncs(deployment, silentReporter),
    target,
    inspect: () => inspectDeployment(target(), silentReporter),
  })
}
