import { configuredEntity, ProblemError } from '../../../functions/http/result.ts'
import { type AcceptContext, acceptRun } from '../../../functions/syncs/accept-run.ts'
import { createSyncs, type SyncsContext } from '../../../functions/syncs/syncs.ts'
import { requestReset } from '../../../operator/changes/request-reset.ts'
import { type ChangeSetStore, createChangeSetStore } from '../../../stored/changes/change-sets.aws.ts'
import { type AcceptedGuard, activeStatuses, type Run } from '../../../stored/run/run.ts'
import { createSnapshotStore } from '../../../stored/snapshots/snapshots.aws.ts'
import { createStateStore } from '../../../stored/sync-state.ts'
import type { StartKind } from '../scenario.ts'
import type { PlayedSimulation } from '../simulation.ts'
import { invokeComparison } from './comparison.ts'
import { delivered } from './delivery.ts'
import { invokeErasure } from './erasure.ts'
import type { Execution } from './execution.ts'
import { Invocation, isInjected } from './invocation.ts'
import { s3Client, simulatedTable, simulatedWaker } from './simulated-clients.ts'
import { startExecution } from './state-machine.ts'
import { invokeWorker } from './worker.ts'

/** Everything that starts and stops syncs: schedules, callers of the API, people. Busy until all of it has ended. */
export interface Drivers {
  readonly executions: Execution[]
  readonly busy: () => boolean
  start(entity: string, kind: StartKind, accept: Acceptance): void
  /** The schedule invokes the worker directly. */
  startIncrement(entity: string, kind: StartKind): void
  /** A person invokes the comparison. */
  compare(entity: string): void
  /** An operator lets the chain start again. */
  requestReset(entity: string): void
  cancelAny(entity: string): void
  cancelIncrement(entity: string): void
  /** The daily task, which Lambda repeats twice if it fails. */
  erase(eraseWithinDays: number, ended?: (how: 'erased' | 'failed') => void): void
  /** A person accepts a snapshot or a change set that was refused. */
  acceptAny(entity: string): void
  /** A person takes back a publication: publishes an older snapshot again. */
  republishAny(entity: string): void
  /** Stops a running execution in the Step Functions console, without cancelling its run. */
  stopAny(entity: string): void
  /** People and schedules stop invoking the worker directly. */
  rest(): void
  readonly resting: () => boolean
}

/** What the guards must accept. */
export interface Acceptance {
  readonly acceptShrink: boolean
  readonly acceptDeletes: boolean
}

type ApiContext = SyncsContext & AcceptContext & { readonly changes: ChangeSetStore }

const apiLimitMs = 29_000

export function createDrivers(sim: PlayedSimulation): Drivers {
  const { chance, scheduler } = sim
  const executions: Execution[] = []
  let tasks = 0
  let resting = false
  const begin = (task: () => Promise<void>) => {
    tasks++
    void task().then(() => tasks--)
  }
  const execute = (name: string, input: Readonly<Record<string, unknown>>) => {
    const known = executions.find(({ id }) => id.endsWith(`:${name}`))
    if (known) return known
    const execution = startExecution(sim, name, input)
    executions.push(execution)
    return execution
  }

  /** Calls the code of the API, or of an operator's command, in an invocation of its own. */
  const callApi = (call: (context: ApiContext) => Promise<unknown>, by: 'api' | 'operator' = 'api') =>
    begin(
      () =>
        new Promise((done) => {
          const invocation = new Invocation(sim, by, apiLimitMs)
          invocation.onCrash = done
          const later = <T>(label: string, act: () => T) =>
            invocation.outside<T>(label, (settle) => {
              scheduler.after(chance.delayMs(10, 300), () => settle({ value: act() }))
            })
          const wait = () => later('wait', () => {})
          const context = {
            settings: { entities: sim.scenario.entities },
            state: createStateStore(
              simulatedTable(sim, invocation),
              () => later('pause', () => {}),
              simulatedWaker(sim, invocation),
            ),
            snapshots: createSnapshotStore('snapshots', s3Client(sim, invocation), wait),
            changes: createChangeSetStore('snapshots', s3Client(sim, invocation), wait),
            executions: {
              arnOf: async (name: string) => `arn:aws:states:eu-west-1:111122223333:execution:Sync:${name}`,
              start: (name: string, input: Readonly<Record<string, unknown>>) =>
                later('start-execution', () => execute(name, input).status === 'RUNNING'),
              stop: (arn: string) =>
                later('stop-execution', () => executions.find(({ id }) => id === arn)?.abort()),
            },
            log: () => {},
            now: invocation.now,
          }
          // A refusal can also be thrown before there is a promise.
          const called = async () => call(context)
          called()
            .catch((error: unknown) => {
              if (error instanceof ProblemError || isInjected(error)) return
              sim.oracle.violation(
                'worker-crashed',
                error instanceof Error ? (error.stack ?? '') : String(error),
              )
            })
            .finally(() => {
              invocation.end()
              done()
            })
        }),
    )

  const direct = async (entity: string, { acceptShrink }: Acceptance) => {
    const gapMs = chance.integer(20_000, 400_000)
    for (let calls = 0; calls < 12 && !resting; calls++) {
      const payload = { entity, ...(acceptShrink && { acceptShrink }) }
      const result = await delivered(sim, () => invokeWorker(sim, payload))
      if ('response' in result && !(activeStatuses as readonly string[]).includes(result.response.status))
        return
      await scheduler.sleep(gapMs)
    }
  }

  return {
    executions,
    busy: () => tasks > 0 || executions.some(({ status }) => status === 'RUNNING'),
    start(entity, kind, accept) {
      sim.count(`started: ${kind}`)
      if (kind === 'direct') begin(() => direct(entity, accept))
      else if (kind === 'api')
        callApi((context) => createSyncs(context).start(entity, { kind: 'full', ...accept }))
      else execute(`schedule${sim.serial()}`, { entity, ...accepted(accept) })
    },
    startIncrement(entity, kind) {
      const input = { entity, increment: true }
      if (kind === 'direct') begin(async () => void (await delivered(sim, () => invokeWorker(sim, input))))
      else if (kind === 'execution') execute(`increment${sim.serial()}`, input)
      else callApi((context) => createSyncs(context).start(entity, { kind: 'increment' }))
    },
    compare(entity) {
      begin(async () => void (await delivered(sim, () => invokeComparison(sim, { entity }))))
    },
    requestReset(entity) {
      const source = {
        bucket: 'snapshots',
        configuration: { entities: [{ name: entity }] },
        entity,
        target: { kind: 'local', path: '' },
        download: '',
      } as const
      callApi(({ changes }) => requestReset(changes, source), 'operator')
    },
    cancelAny(entity) {
      const active = sim.oracle
        .runs(entity)
        .filter(({ status }) => (activeStatuses as readonly string[]).includes(status))
      const [run] = active
      if (!run) return
      sim.count('cancelled by a caller')
      sim.trace(() => `a caller cancels ${run.runId}`)
      callApi((context) => createSyncs(context).cancel(entity, run.runId))
    },
    erase(eraseWithinDays, ended = () => undefined) {
      begin(async () => {
        for (let tries = 0; tries < 3; tries++) {
          if ('response' in (await invokeErasure(sim, eraseWithinDays))) return ended('erased')
          await scheduler.sleep((1 + tries) * 60_000)
        }
        ended('failed')
      })
    },
    cancelIncrement(entity) {
      const items = sim.dynamodb.items<Run>(`entity#${entity}`)
      const run = items.find(({ sk, status }) => sk.startsWith('increment#') && status === 'running')
      if (!run) return
      sim.count('increment cancelled by a caller')
      sim.trace(() => `a caller cancels ${run.runId}`)
      callApi((context) => createSyncs(context).cancel(entity, run.runId))
    },
    acceptAny(entity) {
      const refused = sim.oracle.refused(entity)
      if (refused.length === 0) return
      const { runId, guard } = chance.pick(refused)
      const by = `person ${sim.serial()}`
      const withChanges = guard === 'snapshot' && chance.happens(sim.scenario.increments ? 0.5 : 0)
      const accepted: AcceptedGuard = withChanges ? { guard, withChanges } : { guard }
      sim.count(`accepted: ${guard}${withChanges ? ' with changes' : ''}`)
      sim.trace(() => `${by} accepts ${JSON.stringify(accepted)} of ${runId}`)
      if (chance.happens(0.3))
        execute(`accept${sim.serial()}`, { entity, accept: { runId, ...accepted, by } })
      else
        callApi(async (context) => {
          const settings = configuredEntity(context.settings.entities, entity)
          return acceptRun(context, { entity: settings, runId, ...accepted, by })
        })
    },
    republishAny(entity) {
      const kept = sim.oracle.republishable(entity)
      if (kept.length === 0) return
      const runId = chance.pick(kept)
      sim.count('republished')
      sim.trace(() => `a person publishes ${runId} again`)
      execute(`republish${sim.serial()}`, { entity, republish: { runId } })
    },
    stopAny(entity) {
      const running = executions.find((one) => one.entity === entity && one.status === 'RUNNING')
      if (!running) return
      sim.count('execution stopped by hand')
      running.stoppedByHand = true
      running.abort()
    },
    resting: () => resting,
    rest() {
      resting = true
    },
  }
}

/** Only the options that are true, as people write the input. */
const accepted = ({ acceptShrink, acceptDeletes }: Acceptance) => ({
  ...(acceptShrink && { acceptShrink }),
  ...(acceptDeletes && { acceptDeletes }),
})
