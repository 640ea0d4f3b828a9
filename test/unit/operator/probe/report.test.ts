import { expect, it } from 'vitest'
import { nothingTried, parseReport } from '../../../../operator/probe/report.ts'

const withFacts = (facts: unknown) => JSON.stringify({ version: 1, facts })

it.each([
  [{}],
  [{ end: { kind: 'a newer one', members: [] }, newer: { kind: 'known' } }],
  [{ pageSize: { kind: 'multiplied', by: 0.5 }, clock: { kind: 'differs', minutes: -3 } }],
])('reads the facts %j', (facts) => {
  expect(parseReport(withFacts(facts))).toEqual({ ...nothingTried, ...facts })
})

it.each([
  ['null', 'it has no version'],
  ['{"version":2}', 'version 2 is not supported; run the probe again'],
  [withFacts(null), 'it has no facts'],
  [withFacts([]), 'it has no facts'],
  [withFacts({ end: 'empty' }), 'its fact end is malformed'],
  [withFacts({ end: null }), 'its fact end is malformed'],
  [withFacts({ end: { kind: 'refused' } }), 'its fact end is malformed'],
  [withFacts({ pageSize: { kind: 'capped' } }), 'its fact pageSize is malformed'],
  [withFacts({ pageSize: { kind: 'capped', documents: 0 } }), 'its fact pageSize is malformed'],
  [withFacts({ pageSize: { kind: 'multiplied', by: 0 } }), 'its fact pageSize is malformed'],
  [withFacts({ scrollTotal: reported(-3) }), 'its fact scrollTotal is malformed'],
  [withFacts({ scrollTotal: reported('many') }), 'its fact scrollTotal is malformed'],
  [withFacts({ searchTotal: { ...reported(1), separator: '\r\n' } }), 'its fact searchTotal is malformed'],
])('refuses the report %s: %s', (text, reason) => {
  expect(() => parseReport(text)).toThrow(new Error(reason))
})

function reported(documents: unknown) {
  return { kind: 'reported', documents, isStable: true }
}
