import { glueName } from '../../../functions/runtime/settings-schema/glue-names.ts'
import { CommandError } from '../../../operator/errors.ts'
import { type PurgeContext, planPurge, purge } from '../../../operator/retention/purge.ts'
import { createObjectVersionStore } from '../../../stored/object-versions.aws.ts'
import { type Latest, latestKey, type Manifest } from '../../../stored/snapshots/manifest.ts'
import { createSnapshotStore } from '../../../stored/snapshots/snapshots.aws.ts'
import { createStateStore } from '../../../stored/sync-state.ts'
import type { Oracle } from '../oracle/oracle.ts'
import type { Observer, Simulation } from '../simulation.ts'
import type { Drivers } from './drivers.ts'
import { Invocation } from './invocation.ts'
import { s3Client, simulatedTable } from './simulated-clients.ts'

const minuteMs = 60_000
const commandLimitMs = 60 * minuteMs

/**
 * An entity is removed while an execution syncs it, its refused runs are accepted and the daily task erases. A person
 * purges it, and again while something uses it. Nothing of it may be left then, and nothing of others may be gone.
 */
export async function playPurge(
  sim: { -readonly [Key in keyof Simulation]: Simulation[Key] },
  drivers: Drivers,
): Promise<void> {
  const { scheduler, s3, dynamodb, oracle } = sim
  const chance = sim.chance.branch('purge')
  const [removed, ...others] = sim.scenario.entities
  if (!removed) return
  const entity = removed.name
  ignoreDeletions(sim, oracle)
  keepVersions(sim)
  const acting = { acceptShrink: chance.happens(0.5), acceptDeletes: chance.happens(0.5) }
  drivers.start(entity, 'execution', acting)
  for (const _ of [1, 2]) scheduler.after(chance.integer(0, 2 * minuteMs), () => drivers.acceptAny(entity))
  await scheduler.run(() => false, scheduler.now() + chance.integer(0, minuteMs))
  sim.scenario = { ...sim.scenario, entities: others }
  sim.trace(() => `${entity} is removed`)
  let isPurged = false
  const again = () => {
    for (const _ of [1, 2]) scheduler.after(chance.integer(0, 5_000), () => drivers.erase(8))
    void purgeOnce(sim, drivers, entity).then((isDone) => {
      isPurged = isDone
      if (!isDone) scheduler.after(chance.integer(0, minuteMs), again)
    })
  }
  // By then what was invoked before has the lease.
  scheduler.after(chance.integer(5_000, 20_000), again)
  await scheduler.run(() => isPurged && !drivers.busy(), scheduler.now() + 24 * 60 * minuteMs)
  const keys = s3.versions.flatMap(({ key }) => (key.split('/')[1]?.split('.')[0] === entity ? key : []))
  const left = [...keys, ...dynamodb.items<{ sk: string }>(`entity#${entity}`).map(({ sk }) => sk)]
  if (!isPurged || left.length > 0) oracle.violation('purged', `a purge has left ${left.join(', ')}`)
  const missing = others.flatMap(({ name }) => missingObjects(sim, name))
  if (missing.length > 0) oracle.violation('purged', `${missing.join(', ')} of another entity is gone`)
}

/** The other invariants do not hold of an entity that is purged. */
function ignoreDeletions(
  sim: { -readonly [Key in keyof Simulation]: Simulation[Key] },
  oracle: Oracle,
): void {
  sim.s3.onWrite = undefined
  sim.dynamodb.onWrite = undefined
  const ignore = () => undefined
  const observer: Observer = {
    violations: oracle.violations,
    changes: { accepts: ignore, announced: ignore },
    acting: ignore,
    responded: ignore,
    requested: ignore,
    announced: ignore,
    damaged: ignore,
    violation: (invariant, detail) => {
      if (invariant === 'worker-crashed' || invariant === 'roles-kept') oracle.violation(invariant, detail)
    },
    runs: (entity) => oracle.runs(entity),
    refused: (entity) => oracle.refused(entity),
    republishable: () => [],
  }
  sim.oracle = observer as Oracle
}

/** From now on the bucket is versioned, as a deployed one is. */
function keepVersions({ s3, scheduler }: Simulation): void {
  s3.now = scheduler.now
  s3.versions = [...s3.objects].map(([key, { body }], index) => ({
    key,
    versionId: `before ${index}`,
    body,
    writtenAt: new Date(scheduler.now()),
  }))
}

/** Runs the command. False if something uses the entity. */
async function purgeOnce(sim: Simulation, drivers: Drivers, entity: string): Promise<boolean> {
  const invocation = new Invocation(sim, 'operator', commandLimitMs)
  const client = s3Client(sim, invocation)
  const state = createStateStore(simulatedTable(sim, invocation))
  const context: PurgeContext = {
    versions: createObjectVersionStore('snapshots', client),
    table: simulatedTable(sim, invocation),
    snapshots: createSnapshotStore('snapshots', client),
    async readUse(name, known) {
      const [{ lease }, runs] = await Promise.all([state.readEntity(name), state.listRuns(name)])
      const started = new Set([...known, ...runs.map(({ execution }) => execution)])
      const execution = drivers.executions.find(
        ({ id, status }) => status === 'RUNNING' && started.has(id),
      )?.id
      return { isConfigured: false, isDeployed: false, lease, execution, now: invocation.now() }
    },
    dropGlueTable: async (name) => void sim.tables?.catalog.tables.delete(glueName(name)),
    target: { kind: 'local', path: '' },
    onBatch: () => undefined,
    progress: () => ({ show: () => undefined, end: () => undefined }),
  }
  try {
    await purge(context, await planPurge(context, entity))
    sim.count('purged')
    return true
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    sim.count('purge refused')
    sim.trace(() => `${invocation.id}: ${error.message}`)
    return error.message.startsWith('No data')
  } finally {
    invocation.end()
  }
}

/** Pages that the published manifest names and that are gone. */
function missingObjects({ s3 }: Simulation, entity: string): string[] {
  const read = <T>(key: string) => JSON.parse(String(s3.objects.get(key)?.body ?? '{}')) as Partial<T>
  const { pages = [] } = read<Manifest>(read<Latest>(latestKey(entity)).manifest ?? '')
  return pages.flatMap(({ key }) => (s3.objects.has(key) ? [] : [key]))
}
