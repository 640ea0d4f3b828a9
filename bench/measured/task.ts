import { invoke } from '../../local/lambda.ts'
import { report } from '../report.ts'
import { builtHandler } from './built-handler.ts'

/** One invocation of a built function, as Lambda runs it. */
const [name = '', event = '{}'] = process.argv.slice(2)
const handler = await builtHandler(name)
const startedAt = performance.now()
const result = await invoke(handler, JSON.parse(event), 900)
report(startedAt, { result })
