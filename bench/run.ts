import { parseArgs } from 'node:util'
import { benchSync } from './sync-bench.ts'

const usage = `npm run bench -- [--quick]

Syncs documents of 1 KB through the built worker, in a process of its own, against local servers,
and shows the highest resident memory of that process. --quick takes a tenth of the documents.`

const { values } = parseArgs({ options: { quick: { type: 'boolean' }, help: { type: 'boolean' } } })
if (values.help) {
  console.log(usage)
  process.exit(0)
}

const memoryLimitMegabytes = 256
const rows = values.quick ? [1_000, 50_000] : [10_000, 100_000, 500_000]

console.log('Worker memory: documents of 1 KB, pages of 1,000\n')
console.log('documents   proof    seconds   cpu s   docs/s    peak MB')
let highest = 0
for (const documents of rows) {
  const { answer, seconds, cpuSeconds, peakMegabytes } = await benchSync({ documents, bytes: 1024 })
  if (answer.status !== 'published') throw new Error(`The sync was not published: ${JSON.stringify(answer)}`)
  highest = Math.max(highest, peakMegabytes)
  const cells = [
    documents.toLocaleString('en').padStart(9),
    (answer.proof ?? '').padEnd(6),
    seconds.toFixed(1).padStart(7),
    cpuSeconds.toFixed(1).padStart(7),
    Math.round(documents / seconds)
      .toLocaleString('en')
      .padStart(8),
    peakMegabytes.toFixed(0).padStart(8),
  ]
  console.log(cells.join('   '))
}
const met = highest < memoryLimitMegabytes
console.log(
  `\nPeak below ${memoryLimitMegabytes} MB: ${met ? 'met' : 'not met'}, ${highest.toFixed(0)} MB at most`,
)
console.log(`${met ? 1 : 0} of 1 targets met`)
process.exit(met || values.quick ? 0 : 1)
