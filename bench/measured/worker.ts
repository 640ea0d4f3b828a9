import { invoke, type LambdaHandler } from '../../local/lambda.ts'
import { entity } from '../names.ts'
import { report } from './report.ts'

/** The built worker, as Lambda runs it. Invokes it until the run has ended. */
const built = new URL('../../dist/worker/handler.mjs', import.meta.url)
const { handler } = (await import(built.href)) as { handler: LambdaHandler }

const startedAt = performance.now()
let answer: { status: string; documents?: number; proof?: string }
do answer = (await invoke(handler, { entity }, 900)) as typeof answer
while (answer.status === 'running')
if (answer.status !== 'published') throw new Error(`The sync was not published: ${JSON.stringify(answer)}`)
report(startedAt, { documents: answer.documents, proof: answer.proof })
