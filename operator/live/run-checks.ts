import type { RunView } from '../../functions/sync-api/views.ts'
import { describeExecution } from '../aws/executions.aws.ts'
import { keyOfLogGroup } from '../aws/log-groups.aws.ts'
import { countValues } from '../aws/metrics.aws.ts'
import { createStackStore } from '../aws/stacks.aws.ts'
import type { Deployment } from '../deployment/deployment.ts'
import { CommandError } from '../errors.ts'
import { openLog } from '../logs/source.ts'
import { silentReporter } from '../reporter.ts'
import { readDefinitions } from '../schedules/deployed.ts'
import { createScheduleStore } from '../schedules/schedule-store.aws.ts'
import { openState } from '../sync/state.ts'
import { openSyncs } from '../sync/syncs.ts'
import type { Waiting } from '../waiting.ts'
import { check, type LiveCheck, notSeen, type Place, type Verdict } from './live-check.ts'
import { seen } from './seen.ts'
import { firedVerdict, identityVerdict, logVerdict, metricVerdict } from './verdicts.ts'

interface Checked {
  readonly place: Place
  readonly entity: string
  readonly waiting: Waiting
}

/** The run that the schedule started, and its execution's ARN. */
interface StartedRun {
  readonly run: RunView
  readonly execution: string
}

const aheadMs = 30_000

/** Starts a sync of the entity as its schedule does, by a schedule that fires once, and follows what that leaves. */
export async function runChecks(deployment: Deployment, checked: Checked): Promise<LiveCheck[]> {
  const { now, configuration } = deployment
  const { place, entity, waiting } = checked
  const since = now()
  let started: StartedRun | undefined
  const fired = await check(
    place,
    {
      name: 'a schedule fires',
      asked: `CreateSchedule at(…) with the target and input of the schedule of ${entity}`,
      expected: `an execution with that input, and a run of ${entity}`,
    },
    async () => {
      const { input, found } = await fire(deployment, checked)
      if (!found) return notSeen('No run had begun when the time was over.')
      started = found
      return firedVerdict(input, await describeExecution(found.execution))
    },
  )
  const ofRun = (ask: (started: StartedRun) => Promise<Verdict>) => async () =>
    started ? ask(started) : notSeen('There is no run to look at.')
  const identity = check(
    place,
    {
      name: "an execution's identity is what events name",
      asked: 'DescribeExecution of what the run was started by',
      expected: `the run ${started?.run.runId ?? 'that events name'}`,
    },
    ofRun(async ({ run, execution }) => identityVerdict(await describeExecution(execution), run.runId)),
  )
  const wantedKey = configuration.encryptionKeyArn
  const lines = check(
    place,
    {
      name: wantedKey ? 'a log group under a customer key receives lines' : 'a log group receives lines',
      asked: 'DescribeLogGroups, and FilterLogEvents with the id of the run',
      expected: `lines of the run; the group's key: ${wantedKey ?? "CloudWatch's own"}`,
    },
    ofRun(async ({ run }) => {
      const readEvents = await openLog(deployment)
      const key = await workerKey(configuration.name)
      let count = 0
      await seen(async () => {
        const period = { runId: run.runId, from: since, to: now() }
        count = (await readEvents(period, waiting.signal)).length
        return count > 0
      }, waiting)
      return logVerdict({ lines: count, key, wantedKey })
    }),
  )
  const metric = check(
    place,
    {
      name: 'a metric of Longshore arrives',
      asked: `GetMetricStatistics of RunSeconds with the dimension Entity=${entity}`,
      expected: 'one value, or more, since the run has ended',
    },
    ofRun(async () => {
      let values = 0
      const metric = { namespace: configuration.name, metric: 'RunSeconds', entity }
      // The first minute contains `since`.
      const from = Math.floor(since / 60_000) * 60_000
      await seen(async () => {
        values = await countValues({ ...metric, from, to: now() + 60_000 })
        return values > 0
      }, waiting)
      return metricVerdict(values)
    }),
  )
  return [fired, ...(await Promise.all([identity, lines, metric]))]
}

/** Waits for the run that a schedule starts which fires once. */
async function fire(
  deployment: Deployment,
  { entity, waiting }: Checked,
): Promise<{ readonly input: string; readonly found: StartedRun | undefined }> {
  const { configuration, stateMachineArn, now, table } = deployment
  const { name } = configuration
  const definitions = await readDefinitions({ name, stateMachineArn }, createStackStore())
  const own = definitions.find((one) => one.entity === entity && one.starts === 'full')
  if (!own) throw new CommandError(`The deployed template has no schedule of ${entity}.`)
  const store = createScheduleStore()
  const id = liveScheduleName(name)
  const at = now() + aheadMs
  const syncs = openSyncs(deployment, silentReporter)
  const state = openState(table)
  let found: StartedRun | undefined
  // One that was interrupted may have left its schedule.
  await store.remove(id)
  const once = {
    ...own.properties,
    Description: 'longshore doctor --live',
    ScheduleExpression: `at(${new Date(at).toISOString().slice(0, 19)})`,
    ScheduleExpressionTimezone: 'UTC',
    State: 'ENABLED',
    FlexibleTimeWindow: { Mode: 'OFF' },
    ActionAfterCompletion: 'DELETE',
  } as const
  await store.put(id, once, 'create')
  await seen(async () => {
    const { runs } = await syncs.read(entity)
    const run = runs.find(({ startedAt }) => Date.parse(startedAt) >= at - 1000)
    const execution = run && (await state.readRun(entity, run.runId))?.execution
    if (run && execution) found = { run, execution }
    return found !== undefined
  }, waiting)
  return { input: own.properties.Target.Input, found }
}

/** Within the operator's policy, which has the names that CloudFormation gives to the schedules of the stack. */
export const liveScheduleName = (deployment: string) => `${`${deployment}Sync-`.slice(0, 50)}live-check`

async function workerKey(deployment: string): Promise<string | undefined> {
  const groups = await createStackStore().resources(`${deployment}Sync`, 'AWS::Logs::LogGroup')
  const group = groups.find(({ logicalId }) => logicalId.startsWith('WorkerLogs'))
  if (!group) throw new CommandError(`${deployment}Sync has no log group of the worker.`)
  return keyOfLogGroup(group.physicalId)
}
