import { measure } from '../processes.ts'
import { atMost, count, type Figures, figure, type Report } from '../report.ts'

interface ProofFigures extends Figures {
  /** Resident memory before the first page is read. */
  readonly startMegabytes: number
}

const checkOnce = (documents: number) => measure<ProofFigures>('proof', { arguments: [String(documents)] })

/** The publisher's check of a run, without its reads of S3 and DynamoDB. */
export async function benchProof({ quick }: { quick: boolean }): Promise<Report> {
  const sizes = quick ? [100_000, 1_000_000] : [1_000_000, 10_000_000]
  const measured: (ProofFigures & { documents: number; perMillion: number })[] = []
  for (const documents of sizes) {
    const runs: ProofFigures[] = []
    for (let repeat = 0; repeat < (quick ? 1 : 3); repeat++) runs.push(await checkOnce(documents))
    const [, middle = runs[0]] = runs.toSorted((one, other) => one.seconds - other.seconds)
    if (middle) measured.push({ documents, perMillion: (middle.seconds * 1e6) / documents, ...middle })
  }
  const [smaller, larger] = measured
  return {
    title:
      '3. The check of a snapshot, with generated pages of 1,000 documents of 1 KB; one at a time, medians of 3',
    columns: ['documents', 'seconds', 's per million', 'peak MB', 'for the check, MB'],
    rows: measured.map((figures) => [
      count(figures.documents),
      figure(figures.seconds),
      figure(figures.perMillion),
      figure(figures.peakMegabytes),
      figure(figures.peakMegabytes - figures.startMegabytes),
    ]),
    targets:
      smaller && larger
        ? [
            atMost('A page of 1,000 documents of 1 KB', larger.perMillion, '20 ms'),
            atMost(
              'Time per document, relative to the smaller size',
              larger.perMillion / smaller.perMillion,
              '1.1 x',
            ),
            atMost('The larger size, of the 1,769 MB of the function', larger.peakMegabytes, '1769 MB'),
          ]
        : [],
  }
}
