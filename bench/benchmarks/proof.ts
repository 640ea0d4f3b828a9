import type { Figures } from '../measured/report.ts'
import { measure } from '../processes.ts'
import { atMost, count, figure, type Report } from '../table.ts'

export interface ProofFigures extends Figures {
  /** Resident memory before the first page item is read. */
  readonly startMegabytes: number
  readonly manifestMegabytes: number
}

export const proveOnce = (documents: number) =>
  measure<ProofFigures>('proof', { arguments: [String(documents)] })

/** The proof of an attempt and its publication, with generated page items. */
export async function benchProof({ quick }: { quick: boolean }): Promise<Report> {
  const sizes = quick ? [200_000, 1_000_000] : [1_000_000, 10_000_000, 50_000_000]
  const measured: (ProofFigures & { documents: number })[] = []
  for (const documents of sizes) {
    const runs: ProofFigures[] = []
    for (let repeat = 0; repeat < (quick ? 1 : 3); repeat++) runs.push(await proveOnce(documents))
    const [, middle = runs[0]] = runs.toSorted((one, other) => one.seconds - other.seconds)
    if (middle) measured.push({ documents, ...middle })
  }
  const growth = (what: (figures: ProofFigures) => number) =>
    Math.max(
      ...measured.slice(1).map((larger, at) => {
        const smaller = measured[at] ?? larger
        return what(larger) / what(smaller) / (larger.documents / smaller.documents)
      }),
    )
  const ownMegabytes = (figures: ProofFigures) => figures.peakMegabytes - figures.startMegabytes
  const tenMillion = measured.find(({ documents }) => documents === 10_000_000)
  return {
    title: '3. Proof and publication, with generated page items of 1,000 documents; medians of 3',
    columns: ['documents', 'seconds', 'processor s', 'peak MB', 'for the proof', 'manifest MB'],
    rows: measured.map((figures) => [
      count(figures.documents),
      figure(figures.seconds),
      figure(figures.cpuSeconds),
      figure(figures.peakMegabytes),
      figure(ownMegabytes(figures)),
      figure(figures.manifestMegabytes),
    ]),
    targets: [
      atMost(
        'Time per document, relative to the next smaller size',
        growth(({ seconds }) => seconds),
        { limit: 1.1 },
      ),
      atMost('Memory per document, relative to the next smaller size', growth(ownMegabytes), { limit: 1.1 }),
      ...(tenMillion ? [atMost('10 million documents', tenMillion.seconds, { limit: 15, unit: 's' })] : []),
    ],
  }
}
