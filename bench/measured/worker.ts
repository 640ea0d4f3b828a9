import { setTimeout as sleep } from 'node:timers/promises'
import { invoke } from '../../local/lambda.ts'
import { entity } from '../names.ts'
import { report } from '../report.ts'
import { builtHandler } from './built-handler.ts'

/** The built worker. Invokes it as the state machine does, until the run has ended. */
const handler = await builtHandler('worker')
const startedAt = performance.now()
let response: { status: string; waitSeconds?: number; documents?: number; proof?: string }
do {
  response = (await invoke(handler, { entity }, 900)) as typeof response
  if (response.waitSeconds !== undefined) await sleep(response.waitSeconds * 1000)
} while (response.status === 'running' || response.status === 'waiting')
if (response.status !== 'published')
  throw new Error(`The sync was not published: ${JSON.stringify(response)}`)
report(startedAt, { documents: response.documents, proof: response.proof })
