import type { Figures } from './measured/report.ts'
import { syncOnce } from './sync.ts'
import { atMost, count, figure, median, type Report } from './table.ts'

/** The worker's memory: flat however many documents, and small enough for its function however large a page. */
export async function benchMemory({ quick }: { quick: boolean }): Promise<Report> {
  const [few, many] = quick ? [10_000, 50_000] : [10_000, 1_000_000]
  const repeats = quick ? 1 : 3
  // As Lambda starts Node in a function of 512 MB: the heap gets what the rest of the process leaves.
  const small = ['--max-old-space-size=460']
  // As Lambda's start script is known to do: 5% of a function of 1,024 MB.
  const largeYoung = ['--max-semi-space-size=51']
  const sizes = [
    { what: count(few), documents: few, bytes: 1024, nodeOptions: [] },
    { what: count(many), documents: many, bytes: 1024, nodeOptions: [] },
    {
      what: `${count(many)}, room for a young generation of 51 MB`,
      documents: many,
      bytes: 1024,
      nodeOptions: largeYoung,
    },
    {
      what: 'large pages in 512 MB',
      documents: quick ? 5_000 : 50_000,
      bytes: 10 * 1024,
      nodeOptions: small,
    },
  ]
  const measured = []
  for (const { what, documents, bytes, nodeOptions } of sizes) {
    const runs: Figures[] = []
    for (let repeat = 0; repeat < repeats; repeat++) {
      runs.push(await syncOnce('worker', { documents, bytes, pageSize: 1000, delayMs: 0 }, { nodeOptions }))
    }
    const of = (figure: keyof Figures) => median(runs.map((run) => run[figure]))
    measured.push({
      what,
      bytes,
      seconds: of('seconds'),
      cpuSeconds: of('cpuSeconds'),
      peakMegabytes: of('peakMegabytes'),
    })
  }
  const [atFew = Number.NaN, atMany = Number.NaN, , atLarge = Number.NaN] = measured.map(
    ({ peakMegabytes }) => peakMegabytes,
  )
  return {
    title: `2. Memory: the whole worker, pages of 1,000, upstream 0 ms, medians of ${repeats}`,
    columns: ['documents', 'KB each', 'seconds', 'processor s', 'peak MB'],
    rows: measured.map(({ what, bytes, seconds, cpuSeconds, peakMegabytes }) => [
      what,
      String(bytes / 1024),
      figure(seconds),
      figure(cpuSeconds),
      figure(peakMegabytes),
    ]),
    targets: [
      atMost(`Peak at ${count(many)} documents over the peak at ${count(few)}`, atMany / atFew, {
        limit: 1.1,
      }),
      atMost('Peak with pages of 1,000 documents of 1 KB', Math.max(atFew, atMany), {
        limit: 200,
        unit: 'MB',
      }),
      atMost('Peak with pages of 10 MB', atLarge, { limit: 512, unit: 'MB' }),
    ],
  }
}
