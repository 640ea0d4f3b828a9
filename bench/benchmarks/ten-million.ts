import { atMost, figure, type Report } from '../table.ts'
import { proveOnce } from './proof.ts'
import { syncOnce } from './sync.ts'

/** A complete run of 10 million small documents through one worker. */
export async function benchTenMillion(): Promise<Report> {
  const documents = 10_000_000
  const whole = await syncOnce('worker', { documents, bytes: 200, pageSize: 1000, delayMs: 0 })
  const proof = await proveOnce(documents)
  return {
    title: '10 million generated documents of 200 bytes, published by one worker; upstream 0 ms',
    columns: ['', 'seconds', 'processor s', 'peak MB'],
    rows: [
      ['the whole run', figure(whole.seconds), figure(whole.cpuSeconds), figure(whole.peakMegabytes)],
      [
        'proof and manifest alone',
        figure(proof.seconds),
        figure(proof.cpuSeconds),
        figure(proof.peakMegabytes),
      ],
    ],
    targets: [
      atMost('Peak memory', whole.peakMegabytes, { limit: 256, unit: 'MB' }),
      atMost('Time of proof and manifest over the run', proof.seconds / whole.seconds, { limit: 0.1 }),
    ],
  }
}
