import { expect, it } from 'vitest'
import { adviceOf } from '../../../../operator/probe/advice.ts'
import type { ProbeFacts } from '../../../../operator/probe/facts.ts'
import { nothingTried } from '../../../../operator/probe/report.ts'

const good: ProbeFacts = {
  ...nothingTried,
  searchTotal: { kind: 'reported', documents: 200_000, separator: '=' },
  createdIn: { kind: 'utc' },
  updatedIn: { kind: 'null' },
  scrollTotal: { kind: 'reported', documents: 200_000, isStable: true },
  totalCheck: { kind: 'right' },
  pageSize: { kind: 'honored', documents: 1000 },
  scrollFilter: { kind: 'honored' },
  createdInIndex: { kind: 'milliseconds' },
  updatedInIndex: { kind: 'seconds' },
  ranges: { kind: 'add-up' },
  clock: { kind: 'agrees' },
}
const off = (by: number) => ({ kind: 'reported', documents: 200_000 + by, separator: '=' }) as const
const ranges = { by: 'createdIn', count: 8 }

it.each<[keyof ReturnType<typeof adviceOf>, Partial<ProbeFacts>, unknown]>([
  ['totals', {}, 'check'],
  ['totals', { totalCheck: { kind: 'too-low' } }, 'ignore'],
  ['totals', { totalCheck: { kind: 'wrong' } }, 'ignore'],
  ['totals', { scrollTotal: { kind: 'missing' }, totalCheck: { kind: 'not-tried' } }, 'ignore'],
  ['totals', { searchTotal: off(1_000), totalCheck: { kind: 'too-low' } }, 'check'],
  ['totals', { searchTotal: off(-3_000), totalCheck: { kind: 'wrong' } }, 'ignore'],
  ['totals', { totalCheck: { kind: 'unclear', response: '503' } }, 'not-known totalCheck'],
  ['pageSize', {}, 'leave-out pageSize'],
  ['pageSize', { pageSize: { kind: 'honored', documents: 500 } }, 'not-known pageSize'],
  ['pageSize', { pageSize: { kind: 'capped', documents: 100 } }, 100],
  ['pageSize', { pageSize: { kind: 'multiplied', by: 3 } }, 333],
  ['pageSize', { pageSize: { kind: 'multiplied', by: 0.5 } }, 1000],
  ['pageSize', { pageSize: { kind: 'not-tried' } }, 'not-known pageSize'],
  ['partitions', {}, ranges],
  [
    'partitions',
    { searchTotal: { kind: 'reported', documents: 49_999, separator: '=' } },
    'leave-out searchTotal',
  ],
  ['partitions', { ranges: { kind: 'do-not-add-up' } }, 'leave-out ranges'],
  ['partitions', { ranges: { kind: 'not-tried' } }, 'not-known ranges'],
  [
    'partitions',
    { ranges: { kind: 'not-tried' }, scrollFilter: { kind: 'ignored' } },
    'leave-out scrollFilter',
  ],
  ['increments', {}, { lookbackMinutes: 60 }],
  ['increments', { updatedInIndex: { kind: 'hours' } }, { lookbackMinutes: 120 }],
  ['increments', { createdInIndex: { kind: 'days' } }, { lookbackMinutes: 1440 }],
  ['increments', { createdIn: { kind: 'local' } }, 'not-known createdIn'],
  ['increments', { updatedIn: { kind: 'absent' } }, 'leave-out updatedIn'],
  ['increments', { createdInIndex: { kind: 'shifted', minutes: 60 } }, 'leave-out createdInIndex'],
  ['increments', { clock: { kind: 'missing' } }, 'leave-out clock'],
  ['increments', { updatedInIndex: { kind: 'not-tried' } }, 'not-known updatedInIndex'],
])('advises %s with %j: %j', (name, facts, expected) => {
  const advice = adviceOf({ ...good, ...facts })[name]
  expect(advice.kind === 'set' ? advice.value : `${advice.kind} ${advice.because.join()}`).toEqual(expected)
})
