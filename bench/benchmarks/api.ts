import { manyEntities } from '../../test/many-entities.ts'
import { lambdaOptions } from '../lambda-options.ts'
import { cpuShareOf, functionEnvironment, measure, startServer } from '../processes.ts'
import { atMost, count, type Figures, figure, type Report } from '../report.ts'
import type { SlowTableOptions } from '../servers/slow-table.ts'

/** The sync API has 1,024 MB, which is 0.579 of a processor. The targets are for 512 MB, which is 0.289. */
const memoryMegabytes = { deployed: 1024, target: 512 }
const delayMs = 5
const runs = 10

interface Call {
  readonly seconds: number
  readonly cpuSeconds: number
}

interface ListFigures extends Figures {
  readonly calls: number
  readonly bytes: number
  /** After the import of the function. */
  readonly first: Call
  readonly warm: Call
}

/** Lists as many entities as a configuration may have, a tenth of them in ranges and running. */
export async function benchApi({ quick }: { quick: boolean }): Promise<Report> {
  const entities = quick ? 40 : 400
  const options: SlowTableOptions = { entities, runs, delayMs }
  await using table = await startServer<{ endpoint: string; variables: Record<string, string> }>(
    'slow-table',
    options,
  )
  const { endpoint, variables } = table.ready
  using deployment = functionEnvironment('http://127.0.0.1', variables, { entities: manyEntities(entities) })
  const nodeOptions = lambdaOptions(memoryMegabytes.deployed)
  // From then on the table has every response.
  const whole = await measure<ListFigures>('list', { variables: deployment.variables, nodeOptions })
  const deployed = await listWith(deployment.variables, memoryMegabytes.deployed)
  const limited = await listWith(deployment.variables, memoryMegabytes.target)
  const requests = Number(await (await fetch(endpoint)).text())
  const lists = whole.calls + (deployed?.calls ?? 0) + (limited?.calls ?? 0)
  return {
    title: `9. GET /syncs: ${entities} entities, ${entities / 10} of them in ranges, ${runs} runs each, table ${delayMs} ms; seconds`,
    columns: ['processor', 'first call', 'processor s', 'warm call', 'processor s', 'KB', 'peak MB'],
    rows: [
      row('1', whole),
      ...(deployed ? [row('0.579', deployed)] : []),
      ...(limited ? [row('0.289', limited)] : []),
    ],
    targets: [
      atMost('Reads per entity', requests / lists / entities, '2 reads'),
      ...(limited
        ? [
            atMost('First call with 0.289 of a processor', limited.first.seconds, '3 s'),
            atMost('Warm call with 0.289 of a processor', limited.warm.seconds, '3 s'),
          ]
        : []),
    ],
    notes: limited ? [] : ['Skipped: this user cannot create the cpu cgroup that limits the processor.'],
  }
}

/** Undefined if this user cannot limit the processor. */
async function listWith(
  variables: Readonly<Record<string, string>>,
  megabytes: number,
): Promise<ListFigures | undefined> {
  using share = cpuShareOf(megabytes)
  if (!share) return undefined
  return await measure<ListFigures>('list', { variables, nodeOptions: lambdaOptions(megabytes), share })
}

function row(processor: string, { first, warm, bytes, peakMegabytes }: ListFigures): string[] {
  const times = [first.seconds, first.cpuSeconds, warm.seconds, warm.cpuSeconds]
  return [processor, ...times.map(figure), count(Math.round(bytes / 1024)), figure(peakMegabytes)]
}
