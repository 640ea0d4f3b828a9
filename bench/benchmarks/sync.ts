import { functionEnvironment, type MeasuredProcess, measure, startServer } from '../processes.ts'
import { atMost, count, type Figures, figure, median, type Report } from '../report.ts'
import type { UpstreamOptions } from '../servers/upstream.ts'

const contenders = ['limit', 'worker', 'typical'] as const
export type Contender = (typeof contenders)[number]

const names: Readonly<Record<Contender, string>> = {
  limit: 'limit: sequential requests, bytes discarded',
  worker: 'Longshore, the whole worker',
  typical: 'what most people write',
}

/** Compares the worker with the limit of one scroll and with what most people write, on the same services. */
export async function benchSync({ quick }: { quick: boolean }): Promise<Report> {
  const documents = quick ? 20_000 : 200_000
  const repeats = quick ? { 0: 1, 50: 1 } : { 0: 5, 50: 3 }
  const immediate = await compare({ documents, delayMs: 0, repeats: repeats[0] })
  const delayed = await compare({ documents, delayMs: 50, repeats: repeats[50] })
  return {
    title: `1. Sync: ${count(documents)} documents of 1 KB, pages of 1,000, medians of ${repeats[0]}; seconds`,
    columns: ['', 'upstream 0 ms', 'processor s', 'upstream 50 ms', 'processor s', 'peak MB'],
    rows: contenders.map((contender) => [
      names[contender],
      figure(immediate[contender].seconds),
      figure(immediate[contender].cpuSeconds),
      figure(delayed[contender].seconds),
      figure(delayed[contender].cpuSeconds),
      figure(immediate[contender].peakMegabytes),
    ]),
    targets: [
      atMost('At 50 ms, time over the limit', delayed.worker.seconds / delayed.limit.seconds, '1.03 x'),
      atMost(
        'At 0 ms, processor time over what most people write',
        immediate.worker.cpuSeconds / immediate.typical.cpuSeconds,
        '0.43 x',
      ),
    ],
  }
}

/** The contenders alternate, so that a busy machine slows all of them down. */
async function compare({ documents, delayMs, repeats }: Record<'documents' | 'delayMs' | 'repeats', number>) {
  const runs: Record<Contender, Figures[]> = { limit: [], worker: [], typical: [] }
  for (let repeat = 0; repeat < repeats; repeat++) {
    for (const contender of contenders)
      runs[contender].push(await syncOnce(contender, { documents, bytes: 1024, pageSize: 1000, delayMs }))
  }
  return {
    limit: medianFigures(runs.limit),
    worker: medianFigures(runs.worker),
    typical: medianFigures(runs.typical),
  }
}

export function medianFigures(runs: readonly Figures[]): Figures {
  const of = (name: keyof Figures) => median(runs.map((run) => run[name]))
  return { seconds: of('seconds'), cpuSeconds: of('cpuSeconds'), peakMegabytes: of('peakMegabytes') }
}

export const cellsOf = ({ seconds, cpuSeconds, peakMegabytes }: Figures) =>
  [seconds, cpuSeconds, peakMegabytes].map(figure)

interface SyncOptions extends Pick<MeasuredProcess, 'nodeOptions' | 'share'> {
  /** Number of ranges; none for one scroll. */
  readonly ranges?: number
}

/** One sync in its own process, with its own services. */
export async function syncOnce(
  contender: Contender,
  upstream: UpstreamOptions,
  options: SyncOptions = {},
): Promise<Figures> {
  await using aws = await startServer<Record<string, string>>('aws')
  return await syncWith(aws.ready, { contender, upstream, ...options })
}

interface Sync extends SyncOptions {
  readonly contender: Contender
  readonly upstream: UpstreamOptions
}

/** One sync in its own process, with its own platform and these AWS services, which keep their state. */
export async function syncWith(
  aws: Readonly<Record<string, string>>,
  { contender, upstream, ranges, ...process }: Sync,
): Promise<Figures> {
  await using platform = await startServer<{ endpoint: string }>('upstream', upstream)
  using deployment = functionEnvironment(platform.ready.endpoint, aws, { ranges })
  return await measure<Figures>(contender, {
    ...process,
    arguments: [platform.ready.endpoint],
    variables: deployment.variables,
  })
}
