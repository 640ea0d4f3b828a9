import { endMarginMs } from '../../../functions/runtime/client-limits.ts'
import type { TableContext } from '../../../functions/tables/context.ts'
import { readTableTask } from '../../../functions/tables/request.ts'
import type { ChunkOutcome, TableResult } from '../../../functions/tables/result.ts'
import { runTableTask } from '../../../functions/tables/run-task.ts'
import { TaskFailed } from '../../../functions/task/run.ts'
import type { Catalog } from '../../../stored/glue/catalog.aws.ts'
import { createSnapshotStore } from '../../../stored/snapshots/snapshots.aws.ts'
import { createTableStore } from '../../../stored/tables/tables.aws.ts'
import { isBug } from '../functions/bug.ts'
import { crashOf, InjectedFault, Invocation, type Invoked } from '../functions/invocation.ts'
import { s3Client } from '../functions/simulated-clients.ts'
import type { SimulatedTables } from '../simulation.ts'

/** Invokes the real function that makes tables as Lambda does. */
export function invokeTables(
  tables: SimulatedTables,
  payload: unknown,
): Promise<Invoked<TableResult | ChunkOutcome>> {
  const { sim } = tables
  const invocation = new Invocation(sim, 'tables')
  sim.count('tables invoked')
  sim.trace(() => `${invocation.id} makes tables ${JSON.stringify(payload)}`)
  return new Promise((done) => {
    const finish = (result: Invoked<TableResult | ChunkOutcome>) => {
      invocation.end()
      sim.scheduler.after(sim.chance.delayMs(5, 300), () => done(result))
    }
    const crash = crashOf(invocation, () => finish({ crash: 'Sandbox.Timedout' }))
    const task = readTableTask(JSON.parse(JSON.stringify(payload)))
    runTableTask(contextOf(tables, invocation, crash), invocation.deployed.entities, task).then(
      (response) => {
        if (!invocation.alive) return
        sim.count(`table task: ${response.status}`)
        sim.trace(() => `${invocation.id} returns ${JSON.stringify(response)}`)
        finish({ response })
      },
      (error: unknown) => {
        if (!invocation.alive) return
        if (isBug(error)) sim.oracle.violation('worker-crashed', error.stack ?? error.message)
        sim.trace(() => `${invocation.id} crashes: ${String(error)}`)
        finish({ crash: error instanceof Error ? error.name : 'Error' })
      },
    )
  })
}

/** After a crash every call rejects. */
function contextOf(tables: SimulatedTables, invocation: Invocation, crash: Promise<never>): TableContext {
  const { sim } = tables
  const { chance, scheduler } = sim
  const calling: Calling = <T>(label: string, call: () => T, isRefused = () => false) =>
    Promise.race([
      crash,
      invocation.outside<Awaited<T>>(label, (settle) =>
        scheduler.after(chance.delayMs(10, 500), () => {
          if (chance.happens(sim.scenario.stores.faults) || isRefused())
            settle({ error: new InjectedFault(label) })
          else settle({ value: call() as Awaited<T> })
        }),
      ),
    ])
  const real = s3Client(sim, invocation)
  const send = (command: Parameters<typeof real.send>[0]) =>
    invocation.alive ? Promise.race([real.send(command), crash]) : crash
  const client = { send } as unknown as typeof real
  const wait = (ms: number) =>
    invocation.outside<void>('wait', (settle) => scheduler.after(ms, () => settle({ value: undefined })))
  return {
    snapshots: createSnapshotStore('snapshots', client, wait),
    tables: createTableStore('snapshots', client, wait),
    catalog: simulatedCatalog(tables, calling),
    publishEvent: (event) => calling('publish-event', () => tables.oracle.announced(event)),
    log: (level, message, fields) => {
      if (level === 'ERROR') sim.count(`tables: ${message}`)
      sim.trace(() => `${invocation.id} ${level} ${message} ${JSON.stringify(fields)}`)
    },
    now: invocation.now,
    uniqueName: () => `u${sim.serial()}`,
    pagesOfChunk: sim.scenario.tables?.pagesOfChunk ?? 1,
    checkTime: () => {
      if (scheduler.now() > invocation.killedAt - endMarginMs)
        throw new TaskFailed('The table takes longer than an invocation.')
    },
  }
}

type Calling = <T>(label: string, call: () => T, isRefused?: () => boolean) => Promise<Awaited<T>>

/** Glue, which refuses some calls. */
function simulatedCatalog({ sim, catalog }: SimulatedTables, calling: Calling): Catalog {
  const isRefused = () => sim.chance.happens(sim.scenario.tables?.refusals ?? 0)
  return {
    read: (name) => calling('glue', () => catalog.read(name), isRefused),
    create: (name, table) => calling('glue', () => catalog.create(name, table), isRefused),
    update: (name, table, version) => calling('glue', () => catalog.update(name, table, version), isRefused),
    drop: (name) => calling('glue', () => catalog.drop(name), isRefused),
  }
}
