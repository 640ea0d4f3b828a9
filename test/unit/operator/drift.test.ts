import { expect, it } from 'vitest'
import { driftOf } from '../../../operator/doctor/synthesize.ts'

const template = (code: string, more = {}) =>
  JSON.stringify({ Resources: { Worker: { Code: code }, Table: { Type: 'T' } }, ...more })

it.each<[name: string, deployed: string, synthesized: string, ids: string[]]>([
  ['nothing of an equal template', template('a'), template('a'), []],
  ['nothing of equal texts', template('a', { Description: 'A' }), template('a', { Description: 'A' }), []],
  ['a resource', template('a'), template('b'), ['Worker']],
  ['a new output', template('a'), template('a', { Outputs: { ApiUrl: {} } }), ['ApiUrl']],
  ['a removed output', template('a', { Outputs: { ApiUrl: {} } }), template('a'), ['ApiUrl']],
  ['ids of several sections in order', template('a', { Rules: { B: {} } }), '{}', ['B', 'Table', 'Worker']],
])('a deployment would change %s', (...row) => {
  const [, deployed, synthesized, ids] = row
  expect(driftOf({ Shop: deployed }, { Shop: synthesized })).toEqual(ids.length > 0 ? { Shop: ids } : {})
})

it('lists what a deployment would change by stack, without the stacks that match', () => {
  const deployed = { A: template('a'), B: template('a'), C: template('a') }
  const synthesized = { A: template('b'), B: template('a') }
  expect(driftOf(deployed, synthesized)).toEqual({ A: ['Worker'], C: ['Table', 'Worker'] })
})
