import { argv } from 'node:process'
import { invoke, type LambdaHandler } from '../local/lambda.ts'

/**
 * One worker in a process of its own, as Lambda has it: the built function, the environment of its parent. Calls it
 * until the run has ended and reports what it took. Usage: `worker.ts ENTITY`.
 */
const [, , entity = ''] = argv
const built = new URL('../dist/sync/handler.mjs', import.meta.url)
const { handler } = (await import(built.href)) as { handler: LambdaHandler }

const startedAt = performance.now()
let answer: { status: string }
do answer = (await invoke(handler, { entity }, 900)) as typeof answer
while (answer.status === 'running')

const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage()
process.send?.({
  answer,
  seconds: (performance.now() - startedAt) / 1000,
  cpuSeconds: (userCPUTime + systemCPUTime) / 1e6,
  peakMegabytes: maxRSS / 1024,
})
