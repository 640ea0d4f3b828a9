import { eraseAll } from '../../../functions/compare/erase/erase-all.ts'
import { createChangeSetStore } from '../../../stored/changes/change-sets.aws.ts'
import { createErasurePasses } from '../../../stored/erasure-passes.ts'
import { createObjectVersionStore } from '../../../stored/object-versions.aws.ts'
import { createSnapshotStore } from '../../../stored/snapshots/snapshots.aws.ts'
import { createStateStore } from '../../../stored/sync-state.ts'
import type { PlayedSimulation } from '../simulation.ts'
import { isBug } from './bug.ts'
import { Invocation, type Invoked } from './invocation.ts'
import { simulatedPublisher } from './publisher.ts'
import { s3Client, simulatedTable } from './simulated-clients.ts'

/** Invokes the daily task as the schedule does. */
export function invokeErasure(sim: PlayedSimulation, eraseWithinDays: number): Promise<Invoked<'erased'>> {
  const { scheduler, chance, oracle } = sim
  const invocation = new Invocation(sim, 'erase')
  sim.count('erasure invoked')
  sim.trace(() => `${invocation.id} erases`)
  const wait = (ms: number) =>
    invocation.outside<void>('wait', (settle) => scheduler.after(ms, () => settle({ value: undefined })))
  const client = s3Client(sim, invocation)
  return new Promise((done) => {
    const finish = (result: Invoked<'erased'>) => {
      invocation.end()
      scheduler.after(chance.delayMs(5, 300), () => done(result))
    }
    invocation.onCrash = () => finish({ crash: 'Sandbox.Timedout' })
    eraseAll({
      snapshots: createSnapshotStore('snapshots', client, wait),
      changes: createChangeSetStore('snapshots', client, wait),
      publisher: simulatedPublisher(sim, invocation),
      versions: createObjectVersionStore('snapshots', client),
      state: createStateStore(simulatedTable(sim, invocation)),
      passes: createErasurePasses(simulatedTable(sim, invocation), 'erasedAt'),
      configured: sim.scenario.entities.map(({ name }) => name),
      eraseWithinDays,
      checkTime: () => undefined,
      now: invocation.now,
      log: (level, message, fields) =>
        sim.trace(() => `${invocation.id} ${level} ${message} ${JSON.stringify(fields)}`),
    }).then(
      ({ versions }) => {
        sim.count(versions > 0 ? 'erasure of something' : 'erasure of nothing')
        finish({ response: 'erased' })
      },
      (error: unknown) => {
        if (isBug(error)) oracle.violation('worker-crashed', error.stack ?? error.message)
        finish({ crash: String(error) })
      },
    )
  })
}
