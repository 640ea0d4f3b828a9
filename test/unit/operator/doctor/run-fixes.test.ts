import { expect, it } from 'vitest'
import { fixOfEmpty, fixOfFailed } from '../../../../operator/doctor/run-fixes.ts'

const fixes = { longshore: (words: string) => `longshore ${words}` }
const sync = 'longshore sync CL --watch'
const check = `check the name and 'query' of CL in the configuration and deploy, then run ${sync}`

it.each<[name: string, documents: number, faults: readonly string[], fix: string]>([
  ['whose first page the platform refuses', 0, ['400'], check],
  ['of an entity that the platform does not have', 0, ['timeout', '404'], check],
  ['that received documents', 1, ['400'], sync],
  ['whose credentials were rejected', 0, ['401', '403'], sync],
  ['that was throttled', 0, ['408', '429'], sync],
  ['of a platform that fails', 0, ['500', '504', 'timeout'], sync],
  ['without faults', 0, [], sync],
])('what resolves a failed run %s', (...[, documents, kinds, fix]) => {
  const faults = Object.fromEntries(kinds.map((kind) => [kind, 1]))
  expect(fixOfFailed({ entity: 'CL', documents, total: null, faults }, fixes)).toBe(fix)
  expect(fixOfFailed({ entity: 'CL', documents, total: documents, faults }, fixes)).toBe(fix)
})

it('names the setting for totals that are always wrong, if no request failed', () => {
  const run = { entity: 'CL', documents: 25, total: 10, faults: {} }
  expect(fixOfFailed(run, fixes)).toBe(
    `if the platform's total is wrong in every run of CL, set "totals: 'ignore'" for it in the configuration and deploy, then run ${sync}`,
  )
  expect(fixOfFailed({ ...run, faults: { '503': 1 } }, fixes)).toBe(sync)
})

it('asks whether an entity without documents is right', () => {
  expect(fixOfEmpty('CL', fixes)).toBe(
    `check the name and 'query' of CL in the configuration (if it has no documents and this is correct, set 'allowEmpty') and deploy, then run ${sync}`,
  )
})
