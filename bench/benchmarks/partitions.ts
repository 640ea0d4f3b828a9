import { lambdaOptions } from '../lambda-options.ts'
import { startServer } from '../processes.ts'
import { atLeast, atMost, atMostHalf, count, type Figures, figure, type Report } from '../report.ts'
import type { UpstreamOptions } from '../servers/upstream.ts'
import { costOfMillionDocuments } from './cost.ts'
import { medianFigures, syncOnce, syncWith } from './sync.ts'

const memoryMegabytes = 1024
const nodeOptions = lambdaOptions(memoryMegabytes)

/** A realistic time for a page, and one at which the machine is the limit. */
const slowMs = 400
const fastMs = 50

/** Compares syncs in ranges with the limit of one scroll. Boundaries are known from a first sync. */
export async function benchPartitions({ quick }: { quick: boolean }): Promise<Report> {
  const documents = quick ? 20_000 : 200_000
  const repeats = quick ? 1 : 3
  const pages = (delayMs: number): UpstreamOptions => ({ documents, bytes: 1024, pageSize: 1000, delayMs })
  const slowLimit = await syncOnce('limit', pages(slowMs))
  const slow: Record<number, Figures> = {}
  for (const ranges of [2, 4, 8]) slow[ranges] = await inRanges(ranges, pages(slowMs))

  const fast: Record<'limit' | 'whole' | 'ranges', Figures[]> = { limit: [], whole: [], ranges: [] }
  for (let repeat = 0; repeat < repeats; repeat++) {
    fast.limit.push(await syncOnce('limit', pages(fastMs)))
    fast.whole.push(await syncOnce('worker', pages(fastMs), { nodeOptions }))
    fast.ranges.push(await inRanges(8, pages(fastMs)))
  }
  const limit = medianFigures(fast.limit)
  const whole = medianFigures(fast.whole)
  const ranges = medianFigures(fast.ranges)
  const largePages = await inRanges(8, {
    documents: documents / 4,
    bytes: 10 * 1024,
    pageSize: 1000,
    delayMs: fastMs,
  })

  const times = (ranges: number) => slowLimit.seconds / (slow[ranges]?.seconds ?? Number.NaN)
  const million = (seconds: number) => costOfMillionDocuments((seconds * 1e6) / documents, memoryMegabytes)
  return {
    title: `8. Partitions: ${count(documents)} documents of 1 KB, pages of 1,000; seconds`,
    columns: ['', 'upstream ms', 'seconds', 'processor s', 'peak MB'],
    rows: [
      row('limit: sequential requests, bytes discarded', slowMs, slowLimit),
      ...[2, 4, 8].map((ranges) => row(`Longshore, ${ranges} ranges`, slowMs, slow[ranges])),
      row('limit: sequential requests, bytes discarded', fastMs, limit),
      row('Longshore, one scroll', fastMs, whole),
      row('Longshore, 8 ranges', fastMs, ranges),
      row(`Longshore, 8 ranges, ${count(documents / 4)} documents of 10 KB`, fastMs, largePages),
    ],
    targets: [
      atLeast(`At ${slowMs} ms, 2 ranges faster than the limit`, times(2), '1.9 x'),
      atLeast(`At ${slowMs} ms, 4 ranges faster than the limit`, times(4), '3.5 x'),
      atLeast(`At ${slowMs} ms, 8 ranges faster than the limit`, times(8), '6.5 x'),
      atLeast(`At ${fastMs} ms, 8 ranges faster than the limit`, limit.seconds / ranges.seconds, '3 x'),
      atMost('Processor time of 8 ranges over one scroll', ranges.cpuSeconds / whole.cpuSeconds, '1.1 x'),
      atMostHalf('Peak of 8 ranges with pages of 1 MB', ranges.peakMegabytes, memoryMegabytes),
      atMostHalf('Peak of 8 ranges with pages of 10 MB', largePages.peakMegabytes, memoryMegabytes),
      atMost('Cost of 8 ranges over one scroll', million(ranges.seconds) / million(whole.seconds), '1.1 x'),
    ],
  }
}

const row = (name: string, delayMs: number, figures: Figures | undefined) => [
  name,
  String(delayMs),
  ...(['seconds', 'cpuSeconds', 'peakMegabytes'] as const).map((one) => figure(figures?.[one] ?? Number.NaN)),
]

/** The second sync of an entity, which uses the boundaries of the first. The first one has a fast platform. */
async function inRanges(ranges: number, upstream: UpstreamOptions): Promise<Figures> {
  const sync = { contender: 'worker', upstream, ranges, nodeOptions } as const
  await using aws = await startServer<Record<string, string>>('aws')
  await syncWith(aws.ready, { ...sync, upstream: { ...upstream, delayMs: 0 } })
  return await syncWith(aws.ready, sync)
}
