import { lambdaOptions } from '../lambda-options.ts'
import { atMostHalf, count, type Figures, type Report } from '../report.ts'
import { cellsOf, medianFigures, syncOnce } from './sync.ts'

const memoryMegabytes = 1024
const nodeOptions = lambdaOptions(memoryMegabytes)

/** The worker's memory: at most half of the function's, for any number of documents and for large pages. */
export async function benchMemory({ quick }: { quick: boolean }): Promise<Report> {
  const [few, many] = quick ? [10_000, 50_000] : [1_000_000, 10_000_000]
  const atFew = await peakOf({ documents: few, bytes: 1024, repeats: quick ? 1 : 3 })
  const atMany = await peakOf({ documents: many, bytes: 1024, repeats: 1 })
  const large = await peakOf({ documents: quick ? 5_000 : 50_000, bytes: 10 * 1024, repeats: quick ? 1 : 3 })
  const row = (documents: number, kilobytes: number, figures: Figures) => [
    count(documents),
    String(kilobytes),
    ...cellsOf(figures),
  ]
  return {
    title: '2. Memory: the whole worker, pages of 1,000 documents, upstream 0 ms',
    columns: ['documents', 'KB each', 'seconds', 'processor s', 'peak MB'],
    rows: [row(few, 1, atFew), row(many, 1, atMany), row(quick ? 5_000 : 50_000, 10, large)],
    targets: [
      atMostHalf(`Peak at ${count(few)} documents`, atFew.peakMegabytes, memoryMegabytes),
      atMostHalf(`Peak at ${count(many)} documents`, atMany.peakMegabytes, memoryMegabytes),
      atMostHalf('Peak with pages of 10 MB', large.peakMegabytes, memoryMegabytes),
    ],
  }
}

async function peakOf({ documents, bytes, repeats }: Record<'documents' | 'bytes' | 'repeats', number>) {
  const runs: Figures[] = []
  for (let repeat = 0; repeat < repeats; repeat++)
    runs.push(await syncOnce('worker', { documents, bytes, pageSize: 1000, delayMs: 0 }, { nodeOptions }))
  return medianFigures(runs)
}
