import { argv } from 'node:process'
import { report } from './report.ts'

/** What the import of one module takes in a fresh process. */
const startedAt = performance.now()
await import(argv[2] ?? '')
report(startedAt)
