import { workerVariables } from '../functions/runtime/settings.ts'
import type { CpuShare } from './cpu-share.ts'
import type { Figures } from './measured/report.ts'
import { measure, startServer } from './processes.ts'
import type { UpstreamOptions } from './servers/upstream.ts'
import { atLeast, atMost, count, figure, median, type Report } from './table.ts'
import { functionEnvironment } from './worker-environment.ts'

const contenders = ['limit', 'worker', 'usual'] as const
type Contender = (typeof contenders)[number]

const names: Record<Contender, string> = {
  limit: 'limit: fetched in turn, thrown away',
  worker: 'Longshore, the whole worker',
  usual: 'what most people write',
}

/** Other tools, measured once by bench/peers and not here: seconds for 200,000 documents at 0 and 50 ms. */
const peers = [
  { name: 'airbyte-cdk 7.39', seconds: [14.0, 16.5] },
  { name: 'dlt 1.31, tuned', seconds: [16.6, 28.1] },
] as const

/** Side by side: the limit, the worker, and what most people write with the same services. */
export async function benchSync({ quick }: { quick: boolean }): Promise<Report> {
  const documents = quick ? 20_000 : 200_000
  const repeats = quick ? 1 : 5
  const found = new Map<number, Record<Contender, readonly Figures[]>>()
  for (const delayMs of [0, 50]) {
    const all: Record<Contender, Figures[]> = { limit: [], worker: [], usual: [] }
    for (let repeat = 0; repeat < (delayMs > 0 ? Math.min(3, repeats) : repeats); repeat++) {
      for (const contender of contenders) {
        all[contender].push(await syncOnce(contender, { documents, bytes: 1024, pageSize: 1000, delayMs }))
      }
    }
    found.set(delayMs, all)
  }
  const of = (contender: Contender, delayMs: number, what: keyof Figures = 'seconds') =>
    median((found.get(delayMs)?.[contender] ?? []).map((figures) => figures[what]))
  const faster = (delayMs: number) => of('usual', delayMs) / of('worker', delayMs)
  return {
    title: `1. Sync: ${count(documents)} documents of 1 KB, pages of 1,000, medians of ${repeats}; seconds`,
    columns: ['', 'upstream 0 ms', 'processor s', 'upstream 50 ms', 'processor s', 'peak MB'],
    rows: [
      ...contenders.map((contender) => [
        names[contender],
        figure(of(contender, 0)),
        figure(of(contender, 0, 'cpuSeconds')),
        figure(of(contender, 50)),
        figure(of(contender, 50, 'cpuSeconds')),
        figure(of(contender, 0, 'peakMegabytes')),
      ]),
      ...peers.map(({ name, seconds }) => [
        `${name} (elsewhere, files only)`,
        figure(seconds[0]),
        '',
        figure(seconds[1]),
        '',
        '',
      ]),
    ],
    targets: [
      atMost('At 50 ms, over the limit', of('worker', 50) / of('limit', 50), { limit: 1.02 }),
      atLeast('At 0 ms, faster than what most people write', faster(0), { limit: 3 }),
    ],
  }
}

/** One sync in a process of its own, with services of its own. */
export async function syncOnce(
  contender: Contender,
  upstream: UpstreamOptions,
  { share, nodeOptions = [] }: { share?: CpuShare | undefined; nodeOptions?: readonly string[] } = {},
): Promise<Figures> {
  const platform = await startServer<{ endpoint: string }>('upstream', upstream)
  const aws = await startServer<Record<string, string>>('aws')
  const surroundings = functionEnvironment(platform.ready.endpoint, aws.ready)
  try {
    return await measure<Figures>(contender, {
      arguments: [platform.ready.endpoint],
      variables: {
        ...surroundings.variables,
        ...(contender === 'worker' && workerVariables),
      },
      nodeOptions,
      share,
    })
  } finally {
    surroundings.remove()
    await Promise.all([platform.close(), aws.close()])
  }
}
