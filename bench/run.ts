import { parseArgs } from 'node:util'
import { benchCost } from './cost.ts'
import { benchLatency } from './latency.ts'
import { benchMemory } from './memory.ts'
import { benchModules } from './modules.ts'
import { benchProof } from './proof.ts'
import { benchStart } from './start.ts'
import { benchSync } from './sync.ts'
import { type Report, show, type Target } from './table.ts'
import { benchTenMillion } from './ten-million.ts'

const usual = {
  sync: benchSync,
  memory: benchMemory,
  proof: benchProof,
  start: benchStart,
  latency: benchLatency,
  cost: benchCost,
}
/** Only if they are asked for by name. */
const onDemand = { modules: benchModules, 'ten-million': benchTenMillion }
const all: Readonly<Record<string, (size: { quick: boolean }) => Promise<Report>>> = { ...usual, ...onDemand }

const usage = `npm run bench -- [TABLE ...] [--quick]

Shows how fast and how small Longshore is, on this machine, beside the limit and beside what people write
instead. It needs nothing but this folder. Tables: ${Object.keys(usual).join(', ')};
only by name: ${Object.keys(onDemand).join(', ')}.

--quick takes small sizes and judges nothing. Figures count on an idle machine only.`

const { values, positionals } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const unknown = positionals.find((name) => !(name in all))
if (values.help || unknown !== undefined) {
  console.log(unknown === undefined ? usage : `There is no table ${unknown}.\n\n${usage}`)
  process.exit(unknown === undefined ? 0 : 2)
}

const targets: Target[] = []
for (const name of positionals.length > 0 ? positionals : Object.keys(usual)) {
  const report = await all[name]?.({ quick: values.quick })
  if (!report) continue
  console.log(show(report, !values.quick))
  targets.push(...report.targets)
}
const met = targets.filter((target) => target.met).length
if (values.quick) console.log('\nA quick run judges no targets.')
else console.log(`\n${met} of ${targets.length} targets met`)
process.exitCode = values.quick || met === targets.length ? 0 : 1
