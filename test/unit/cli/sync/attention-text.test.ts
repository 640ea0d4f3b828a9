import { stripVTControlCharacters } from 'node:util'
import { expect, it } from 'vitest'
import { attentionText } from '../../../../cli/sync/attention-text.ts'

const now = Date.parse('2026-11-21T12:00:00Z')
const item = {
  kind: 'run-refused',
  entities: ['CL'],
  since: '2026-11-21T09:00:00.000Z',
  evidence: 'Run 20261121T090000000Z-0123456789ab of CL was refused: it found 280 documents.',
  action: 'Review which documents are missing.',
  command: 'npx --no-install longshore review 20261121T090000000Z-0123456789ab --name Longshore',
  runId: '20261121T090000000Z-0123456789ab',
} as const
const linesOf = (items: readonly (typeof item)[]) =>
  stripVTControlCharacters(attentionText(items, now)).split('\n')

it('reports in one line that nothing waits for a person', () => {
  expect(linesOf([])).toEqual(['✓ Nothing needs attention.'])
})

it('shows the evidence, since when, the action and the command, in one line each', () => {
  expect(linesOf([item])).toEqual([
    'Needs attention: 1',
    `✗ ${item.evidence}`,
    '  Since 2026-11-21T09:00:00.000Z (3 h ago). Review which documents are missing.',
    `  → ${item.command}`,
  ])
})

it('leaves out since when if that is not known', () => {
  expect(linesOf([{ ...item, since: null } as never])[2]).toBe(`  ${item.action}`)
})
