import { parseArgs } from 'node:util'
import { exitAtInterrupt } from '../operator/interrupts.ts'
import { benchApi } from './benchmarks/api.ts'
import { benchChanges } from './benchmarks/changes.ts'
import { benchCost } from './benchmarks/cost.ts'
import { benchIncrements } from './benchmarks/increments.ts'
import { benchLatency } from './benchmarks/latency.ts'
import { benchMemory } from './benchmarks/memory.ts'
import { benchPartitions } from './benchmarks/partitions.ts'
import { benchPeers } from './benchmarks/peers.ts'
import { benchProof } from './benchmarks/proof.ts'
import { benchStart } from './benchmarks/start.ts'
import { benchSync } from './benchmarks/sync.ts'
import { benchTables } from './benchmarks/tables.ts'
import { format, type Report, type Target } from './report.ts'

type Benchmark = (size: { quick: boolean }) => Promise<Report>

const standard = {
  sync: benchSync,
  memory: benchMemory,
  proof: benchProof,
  start: benchStart,
  latency: benchLatency,
  cost: benchCost,
  changes: benchChanges,
  tables: benchTables,
  partitions: benchPartitions,
  api: benchApi,
  increments: benchIncrements,
}
const all: Readonly<Record<string, Benchmark>> = { ...standard, peers: benchPeers }

const usage = `Measure speed, memory and cost on this machine

USAGE
  npm run bench -- [PART ...] [--quick]

Compares Longshore with the limit of a scroll and with what people write instead. Run it on an idle machine.

PARTS
  by default    ${Object.keys(standard).join(', ')}
  only by name  peers

FLAGS
  --quick       Use small sizes and check no targets`

const { values, positionals } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const unknown = positionals.find((name) => !(name in all))
if (values.help || unknown !== undefined) {
  console.log(unknown === undefined ? usage : `Unknown part ${unknown}.\n\n${usage}`)
  process.exit(unknown === undefined ? 0 : 2)
}

exitAtInterrupt()
const targets: Target[] = []
for (const name of positionals.length > 0 ? positionals : Object.keys(standard)) {
  const report = await all[name]?.({ quick: values.quick })
  if (!report) continue
  console.log(format(values.quick ? { ...report, targets: [] } : report))
  targets.push(...report.targets)
}
const met = targets.filter((target) => target.met).length
if (values.quick) console.log('\nA quick run checks no targets.')
else console.log(`\n${met} of ${targets.length} targets met`)
process.exitCode = values.quick || met === targets.length ? 0 : 1
