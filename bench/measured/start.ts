import { argv } from 'node:process'
import { invoke, type LambdaHandler } from '../../local/lambda.ts'
import { median, report } from '../report.ts'

/** A cold start: from the import of a function to its first response. Arguments: the file and an event as JSON. */
const [, , file = '', event = ''] = argv
const startedAt = performance.now()
const { handler } = (await import(file)) as { handler: LambdaHandler }
const importMs = performance.now() - startedAt
const result = (await invoke(handler, JSON.parse(event), 29)) as { statusCode: number; body?: string }
if (result.statusCode !== 200) throw new Error(`The first response was ${JSON.stringify(result)}`)
const totalMs = performance.now() - startedAt

// The cost table needs warm calls. They run after the cold start is measured.
const warm: number[] = []
for (let again = 0; again < 50; again++) {
  const calledAt = performance.now()
  await invoke(handler, JSON.parse(event), 29)
  warm.push(performance.now() - calledAt)
}
report(startedAt, { importMs, seconds: totalMs / 1000, warmMs: median(warm) })
