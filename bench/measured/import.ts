import { argv } from 'node:process'
import { report } from './report.ts'

/** The time to import one module in a new process. */
const startedAt = performance.now()
await import(argv[2] ?? '')
report(startedAt)
