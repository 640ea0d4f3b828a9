import { expect, it } from 'vitest'
import { historyText } from '../../../../cli/history/history-text.ts'
import type { DocumentVersion } from '../../../../operator/history/versions.ts'

const version = (day: number, change: Partial<DocumentVersion>): DocumentVersion => ({
  runId: `r${day}`,
  asOf: `2026-11-0${day}T14:00:05.123Z`,
  source: 'snapshot',
  kind: 'unchanged',
  changes: [],
  ...change,
})

it('shows a line for each version, with the changed fields below it', () => {
  const text = historyText([
    version(3, {
      kind: 'updated',
      source: 'change-set',
      changes: [
        { name: 'email', before: '"a"', after: '"b"' },
        { name: 'phone', before: null, after: '1' },
        { name: 'fax', before: '2', after: null },
      ],
    }),
    version(2, {}),
  ])
  expect(text).toBe(`AS OF (UTC)          CHANGE     SOURCE      RUN
2026-11-03 14:00:05  updated    change-set  r3
  email: "a" → "b"
  phone: (none) → 1
  fax: 2 → (none)
2026-11-02 14:00:05  unchanged  snapshot    r2`)
})

it('shows the heading alone without versions', () =>
  expect(historyText([])).toBe('AS OF (UTC)  CHANGE  SOURCE  RUN'))

it.each([
  [80, 'x'.repeat(80)],
  [81, `${'x'.repeat(79)}…`],
])('shows a value of %i characters', (length, shown) => {
  const changes = [{ name: 'note', before: null, after: 'x'.repeat(length) }]
  expect(
    historyText([version(1, { changes })])
      .split('\n')
      .at(-1),
  ).toBe(`  note: (none) → ${shown}`)
})
