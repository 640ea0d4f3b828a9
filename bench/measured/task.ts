import { invoke, type LambdaHandler } from '../../local/lambda.ts'
import { report } from './report.ts'

/** One invocation of a built function, as Lambda runs it. */
const [name = '', event = '{}'] = process.argv.slice(2)
const built = new URL(`../../dist/${name}/handler.mjs`, import.meta.url)
const { handler } = (await import(built.href)) as { handler: LambdaHandler }
const startedAt = performance.now()
const result = await invoke(handler, JSON.parse(event), 900)
report(startedAt, { result })
