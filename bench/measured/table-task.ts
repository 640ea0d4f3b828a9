import { invoke, type LambdaHandler } from '../../local/lambda.ts'
import { report } from './report.ts'

/** One invocation of the built function that makes tables, as Lambda runs it. */
const [event = '{}'] = process.argv.slice(2)
const built = new URL('../../dist/tables/handler.mjs', import.meta.url)
const { handler } = (await import(built.href)) as { handler: LambdaHandler }
const startedAt = performance.now()
const result = await invoke(handler, JSON.parse(event), 900)
report(startedAt, { result })
