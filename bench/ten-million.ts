import { proveOnce } from './proof.ts'
import { syncOnce } from './sync.ts'
import { atMost, figure, type Report } from './table.ts'

/** The whole way for 10 million small documents through one worker, which takes a quarter of an hour or less. */
export async function benchTenMillion(): Promise<Report> {
  const documents = 10_000_000
  const whole = await syncOnce('worker', { documents, bytes: 200, pageSize: 1000, delayMs: 0 })
  const proof = await proveOnce(documents)
  return {
    title: '10 million documents of 200 bytes, made on the fly, published by one worker; upstream 0 ms',
    columns: ['', 'seconds', 'processor s', 'peak MB'],
    rows: [
      ['the whole run', figure(whole.seconds), figure(whole.cpuSeconds), figure(whole.peakMegabytes)],
      [
        'proof and manifest, by themselves',
        figure(proof.seconds),
        figure(proof.cpuSeconds),
        figure(proof.peakMegabytes),
      ],
    ],
    targets: [
      atMost('Peak memory', whole.peakMegabytes, { limit: 512, unit: 'MB' }),
      atMost('Proof and manifest over the run', proof.seconds / whole.seconds, { limit: 0.1 }),
    ],
  }
}
