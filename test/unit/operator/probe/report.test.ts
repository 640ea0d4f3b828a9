import { expect, it } from 'vitest'
import { nothingTried, parseReport } from '../../../../operator/probe/report.ts'

const withFacts = (facts: unknown) => JSON.stringify({ version: 1, facts })
const reported = { kind: 'reported', documents: 1, isStable: true }

it.each([
  { end: { kind: 'a newer one', members: [] }, newer: { kind: 'known' } },
  { pageSize: { kind: 'multiplied', by: 0.5 }, clock: { kind: 'differs', minutes: -3 } },
])('reads the facts %j', (facts) => {
  expect(parseReport(withFacts(facts))).toEqual({ ...nothingTried, ...facts })
})

it.each([
  ['null', 'it has no version'],
  ['{"version":2}', 'version 2 is not supported; run the probe again'],
  [withFacts(null), 'it has no facts'],
  [withFacts([]), 'it has no facts'],
  ...[
    { end: null },
    { end: { kind: 'refused' } },
    { pageSize: { kind: 'capped', documents: 0 } },
    { scrollTotal: { ...reported, documents: 'many' } },
    { searchTotal: { ...reported, separator: '\r\n' } },
  ].map((facts) => [withFacts(facts), `its fact ${Object.keys(facts).join()} is malformed`]),
])('refuses the report %s: %s', (text, reason) => {
  expect(() => parseReport(text ?? '')).toThrow(new Error(reason))
})
