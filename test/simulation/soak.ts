import { parseArgs } from 'node:util'
import { simulate } from './simulate.ts'

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '100000' },
    seed: { type: 'string' },
    plant: { type: 'string' },
    story: { type: 'boolean' },
  },
})
const t0 = performance.now()
const counts = new Map<string, number>()
let bad = 0
const first = values.seed ? Number(values.seed) : 1
const n = values.seed ? 1 : Number(values.seeds)
let events = 0
for (let seed = first; seed < first + n; seed++) {
  const r = await simulate(seed, {
    ...(values.plant && { plant: values.plant }),
    story: values.story ?? values.seed !== undefined,
  })
  for (const [k, v] of r.counts) counts.set(k, (counts.get(k) ?? 0) + v)
  events += r.events
  if (values.seed) for (const s of r.story) console.log(s.slice(0, 400))
  if (r.violation) {
    bad++
    console.log('seed', seed, r.violation)
  }
}
for (const [k, v] of [...counts].toSorted()) console.log(k, v)
console.log(bad, 'violations', n, 'seeds', events, 'events', (performance.now() - t0).toFixed(0), 'ms')
