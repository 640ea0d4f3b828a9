import { invoke, type LambdaHandler } from '../../local/lambda.ts'
import { entity } from '../names.ts'
import { report } from './report.ts'

/** The built worker, as Lambda runs it. Invokes it until the run has ended. */
const built = new URL('../../dist/worker/handler.mjs', import.meta.url)
const { handler } = (await import(built.href)) as { handler: LambdaHandler }

const startedAt = performance.now()
let response: { status: string; documents?: number; proof?: string }
do response = (await invoke(handler, { entity }, 900)) as typeof response
while (response.status === 'running')
if (response.status !== 'published')
  throw new Error(`The sync was not published: ${JSON.stringify(response)}`)
report(startedAt, { documents: response.documents, proof: response.proof })
