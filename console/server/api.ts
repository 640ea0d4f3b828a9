import { configuredEntity } from '../../functions/http/result.ts'
import type { EntityFacts } from '../../functions/problems/facts.ts'
import { grouped, inOrder } from '../../functions/problems/problems.ts'
import { type ReadFacts, withoutSchedules } from '../../functions/problems/read-facts.ts'
import { openProblems } from '../../functions/problems/staying.ts'
import type { EntitySettings } from '../../functions/runtime/settings.ts'
import { readFiringAlarms } from '../../operator/aws/alarms.aws.ts'
import { createStackStore } from '../../operator/aws/stacks.aws.ts'
import type { Deployment } from '../../operator/deployment/deployment.ts'
import { compareSchedules, type ScheduleFact } from '../../operator/deployment/schedules.ts'
import { lookContext } from '../../operator/problems/look.ts'
import { scheduleStateOf } from '../../operator/problems/schedule-state.ts'
import { pauseEntity, resumeEntity } from '../../operator/sync/pause.ts'
import { openLog } from '../../operator/sync/run-logs.ts'
import type { StartedJob } from '../../stored/run/job.ts'
import type { AboutResponse } from '../contract/api.ts'
import type { EntityResponse, OverviewResponse } from '../contract/overview.ts'
import { type ApiContext, openContext } from './context.ts'
import { pauseOptions, startEntity, startedJob } from './data/actions.ts'
import { createEntityRows } from './data/entity-rows.ts'
import { createHealth } from './data/health.ts'
import { createMaintenance } from './data/maintenance.ts'
import { createNextRuns } from './data/next-runs.ts'
import { problemRow } from './data/problem-row.ts'
import { type ReadEntity, readRows } from './data/read-rows.ts'
import { createReviews } from './data/reviews.ts'
import { createRunLogs } from './data/run-logs.ts'
import { listRuns, readRun } from './data/runs.ts'
import { readSchema } from './data/schema.ts'
import { createTimeline } from './data/timeline.ts'
import { documentRoutes } from './document-routes.ts'
import { setRow } from './document-views/records.ts'
import { type Routes, wholeNumberParameter } from './routes.ts'

const withoutDeployment = { alertFailures: [], notWoken: [] }

/** The routes of the console's API. They read what the command line reads, with the same permissions. */
export function consoleApiRoutes(given: ApiContext): Routes {
  const context = openContext(given)
  const { deployment, syncs, target, inspect, command, state } = context
  const { configuration, stateMachineArn, now } = deployment
  const { name } = configuration
  // `npm start` has no alarms.
  const isLocal = deployment.kind === 'local'
  const reviews = createReviews(context)
  const next = createNextRuns(deployment, () =>
    compareSchedules({ name, stateMachineArn }, createStackStore()),
  )
  const look = lookContext(deployment, withoutSchedules)
  const sources = {
    syncs,
    look,
    readNext: next.read,
    // An outdated configuration does not show what is deployed.
    scheduleStateOf: (settings: EntitySettings, deployed: readonly ScheduleFact[] | undefined) =>
      scheduleStateOf(settings, health.isOutdated() ? undefined : deployed, target()),
  }
  const maintenance = createMaintenance(deployment, target)
  const rows = createEntityRows(configuration.entities, sources)
  const readAlarms = isLocal ? null : () => readFiringAlarms(configuration.name)
  const readDeployedAt = async () =>
    isLocal ? undefined : (await createStackStore().read(`${name}Sync`))?.deployedAt
  const health = createHealth({ inspect, readAlarms, command, now, readDeployedAt })
  const entities = configuration.entities.map(({ name }) => name)
  const timeline = createTimeline({ entities, state, readNext: next.read, now })
  const readLogs = createRunLogs(() => openLog(deployment), now)
  const time = () => new Date(now()).toISOString()

  async function openProblemsOf(
    read: readonly EntityFacts[],
    ofDeployment: Pick<ReadFacts, 'alertFailures' | 'notWoken'>,
  ) {
    const last = await look.looks.readWholeLook(read.map(({ settings }) => settings.name))
    // The doctor finds orphans.
    return openProblems({ ...ofDeployment, orphans: [], entities: read, now: now(), unread: [], last })
  }

  async function readOverview(): Promise<OverviewResponse> {
    const [list, alertFailures, notWoken] = await Promise.all([
      rows.list(),
      look.looks.readAlertFailures(),
      look.state.readNotWoken(now()),
    ])
    const facts = list.map((entity) => entity.facts)
    const found = await openProblemsOf(facts, { alertFailures, notWoken })
    const ownOf = (entity: string) => found.filter((problem) => problem.entity === entity)
    health.notice(found)
    const problems = inOrder([...found, ...health.known()])
    return {
      name,
      place: placeOf(deployment),
      now: time(),
      problems: grouped(problems).map(problemRow(command)),
      entities: list.map(({ row }) => ({
        ...row,
        problems: grouped(ownOf(row.entity)).map(problemRow(command)),
      })),
    }
  }

  async function readEntity(name: string): Promise<EntityResponse> {
    const settings = configuredEntity(configuration.entities, name)
    const [read] = await readRows(sources, [settings])
    const { row, chain, facts } = read as ReadEntity
    const known = health.known().filter(({ entity }) => entity === name)
    // Also what the deployment has because of this entity: its platform is away.
    const own = inOrder([...(await openProblemsOf([facts], withoutDeployment)), ...known])
    const problems = grouped(own).map(problemRow(command))
    return { row: { ...row, problems }, sets: (chain?.sets ?? []).map(setRow), now: time() }
  }

  async function changePause(
    entity: string,
    change: (paused: Parameters<typeof resumeEntity>[0]) => Promise<unknown>,
  ): Promise<object> {
    await rows.change(entity, () => next.change(() => change({ deployment, target: target(), entity })))
    return {}
  }

  const startJob = (entity: string, job: StartedJob) =>
    rows.change(entity, () => startEntity(syncs, entity, job))

  return {
    ...documentRoutes(context),

    'GET /about': async () =>
      ({
        name: configuration.name,
        referencePath: isLocal ? '/reference' : null,
        commandLine: command('ARGS'),
      }) satisfies AboutResponse,

    'GET /overview': () => readOverview(),

    'GET /timeline': ({ query }) =>
      timeline.read(wholeNumberParameter(query.get('hours')) || 24, wholeNumberParameter(query.get('after'))),

    'GET /health': ({ query }) => health.read(query.has('again') ? 'again' : 'cached'),

    'GET /entities/{entity}': ({ path }) => readEntity(path('entity')),

    'GET /entities/{entity}/schema': ({ path }) => readSchema(context, path('entity')),

    'GET /entities/{entity}/runs': ({ path, query }) =>
      listRuns(context, path('entity'), query.get('before') ?? undefined),

    'GET /entities/{entity}/runs/{run}': ({ path }) => readRun(context, path('entity'), path('run')),

    'GET /entities/{entity}/runs/{run}/logs': async ({ path }) =>
      readLogs(await syncs.readRun(path('entity'), path('run'))),

    'GET /entities/{entity}/runs/{run}/review': ({ path }) => reviews.read(path('entity'), path('run')),

    'POST /entities/{entity}/runs/{run}/accept': ({ path, body }) =>
      rows.change(path('entity'), () => reviews.accept(path('entity'), path('run'), body)),

    'POST /entities/{entity}/start': ({ path, body }) => startJob(path('entity'), startedJob(body)),

    'POST /entities/{entity}/snapshots/{run}/republish': ({ path }) =>
      startJob(path('entity'), { kind: 'republish', from: path('run') }),

    'POST /entities/{entity}/verify': ({ path, body }) => maintenance.verify(path('entity'), body),

    'GET /orphans/{entity}': ({ path }) => maintenance.previewPurge(path('entity')),

    'POST /orphans/{entity}/purge': async ({ path, body }) => {
      const purged = await maintenance.purge(path('entity'), body)
      // Its problem is one that only the doctor finds.
      await health.read('again')
      return purged
    },

    'POST /entities/{entity}/pause': async ({ path, body }) => {
      const options = pauseOptions(body)
      return changePause(path('entity'), (paused) => pauseEntity(paused, options))
    },

    'POST /entities/{entity}/resume': ({ path }) => changePause(path('entity'), resumeEntity),

    'POST /entities/{entity}/runs/{run}/cancel': ({ path }) =>
      rows.change(path('entity'), () => syncs.cancel(path('entity'), path('run'))),
  }
}

/** This machine, or the account and the region, which the ARN of the state machine names. */
function placeOf({ kind, stateMachineArn }: Pick<Deployment, 'kind' | 'stateMachineArn'>): string {
  if (kind === 'local') return 'npm start on this machine'
  const [, , , region = '', account = ''] = stateMachineArn.split(':')
  return `account ${account}, region ${region}`
}
