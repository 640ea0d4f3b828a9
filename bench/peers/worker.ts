import { setTimeout as sleep } from 'node:timers/promises'
import { invoke, type LambdaHandler } from '../../local/lambda.ts'
import { entity } from '../names.ts'

/** Invokes the built worker as the state machine does, until the run has ended. Fails if nothing was published. */
const built = new URL('../../dist/worker/handler.mjs', import.meta.url)
const { handler } = (await import(built.href)) as { handler: LambdaHandler }

let response: { status: string; waitSeconds?: number }
do {
  response = (await invoke(handler, { entity }, 900)) as typeof response
  if (response.waitSeconds !== undefined) await sleep(response.waitSeconds * 1000)
} while (response.status === 'running' || response.status === 'waiting')
process.exitCode = response.status === 'published' ? 0 : 1
