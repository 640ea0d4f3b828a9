import type { ErasedByTask } from '../../functions/task/erase-entities.ts'
import { cpuShareOf } from '../cpu-share.ts'
import { lambdaOptions } from '../lambda-options.ts'
import type { Figures } from '../measured/report.ts'
import { erasable, type OldEntity } from '../old-entities.ts'
import { measure, startServer } from '../processes.ts'
import type { OldVersionsOptions } from '../servers/old-versions.ts'
import { atMost, atMostHalf, count, figure, type Report } from '../table.ts'
import { functionEnvironment } from '../worker-environment.ts'

/** With this much memory a function has one processor. */
const memoryMegabytes = 1769
const delayMs = 30
const eraseWithinDays = 30

/** One pass of the daily task over as many entities as a configuration may have, a tenth of them with increments. */
export async function benchErase({ quick }: { quick: boolean }): Promise<Report> {
  const entities = Array.from(
    { length: quick ? 20 : 400 },
    (_, index): OldEntity => ({
      name: `E${index}`,
      incrementMinutes: index % 10 === 0 ? 5 : 0,
    }),
  )
  const options: OldVersionsOptions = { entities, now: Date.now(), delayMs }
  await using aws = await startServer<{ endpoint: string; variables: Record<string, string> }>(
    'old-versions',
    options,
  )
  using deployment = functionEnvironment('http://127.0.0.1', aws.ready.variables, {
    entities: entities.map(({ name }) => ({ name, schedule: 'rate(6 hours)', changes: { keepDays: 27 } })),
    more: { eraseWithinDays, athena: false },
  })
  using share = cpuShareOf(memoryMegabytes)
  const pass = await measure<Figures & { result: ErasedByTask }>('task', {
    arguments: ['compare', JSON.stringify({ task: 'erase' })],
    variables: deployment.variables,
    nodeOptions: lambdaOptions(memoryMegabytes),
    share,
  })
  const { requests, deleted } = (await (await fetch(aws.ready.endpoint)).json()) as {
    requests: number
    deleted: number
  }
  const erasableAt = (time: number) =>
    entities.reduce((sum, entity) => sum + erasable(entity, options.now, time), 0)
  // More increments become old enough during the pass.
  const [least, most] = [erasableAt(options.now), erasableAt(Date.now())]
  if (pass.result.versions !== deleted || deleted < least || deleted > most)
    throw new Error(
      `${pass.result.versions} versions were erased, ${deleted} deleted; ${least} to ${most} had to be.`,
    )
  return {
    title: `11. Erasure: ${entities.length} entities, ${entities.length / 10} of them with increments, ${delayMs} ms per request, one processor; seconds`,
    columns: ['entities', 'seconds', 'processor s', 'requests', 'versions erased', 'peak MB'],
    rows: [
      [
        count(entities.length),
        figure(pass.seconds),
        figure(pass.cpuSeconds),
        count(requests),
        count(deleted),
        figure(pass.peakMegabytes),
      ],
    ],
    targets: [
      atMost('One pass', pass.seconds, '300 s'),
      atMostHalf('Peak', pass.peakMegabytes, memoryMegabytes),
    ],
    notes: share ? [] : ['The processor was not limited: this user cannot create the cpu cgroup.'],
  }
}
