import { describe, expect, it } from 'vitest'
import { snapshotBadge } from '../../../../console/client/model/tones.ts'

const ageMs = 3 * 3_600_000
it.each([
  // The first sync is in progress, or nobody wants one.
  [{ kind: 'never' }, { tone: 'neutral', text: 'no snapshot', age: '' }],
  [
    { kind: 'unscheduled', ageMs },
    { tone: 'neutral', text: 'published', age: '3 h old' },
  ],
  [
    { kind: 'fresh', ageMs, maxAgeMs: 1 },
    { tone: 'good', text: 'fresh', age: '3 h old' },
  ],
  [
    { kind: 'stale', ageMs, maxAgeMs: 1 },
    { tone: 'problem', text: 'stale', age: '3 h old' },
  ],
] as const)('the badge of %j is %j', (freshness, badge) => {
  expect(snapshotBadge({ freshness, lastRun: null, problems: [] })).toEqual(badge)
})

describe('the badge of a snapshot', () => {
  const fresh = { kind: 'fresh', ageMs: 7_200_000, maxAgeMs: 86_400_000 } as const
  it.each([
    ['published', fresh, [], { tone: 'good', text: 'fresh', age: '2 h old' }],
    ['cancelled', fresh, [], { tone: 'good', text: 'fresh', age: '2 h old' }],
    ['failed', fresh, ['note'], { tone: 'warning', text: 'failed', age: '2 h old' }],
    ['refused', fresh, ['run-refused'], { tone: 'problem', text: 'run refused', age: '2 h old' }],
    ['published', fresh, ['changes-refused'], { tone: 'problem', text: 'changes refused', age: '2 h old' }],
    ['published', { ...fresh, kind: 'stale' }, ['stale'], { tone: 'problem', text: 'stale', age: '2 h old' }],
    ['refused', { kind: 'never' }, ['run-refused'], { tone: 'problem', text: 'no snapshot', age: '' }],
  ] as const)('after a %s run of %j with the problems %j', (...[status, freshness, kinds, badge]) => {
    const problems = kinds.map((kind) => ({ level: kind === 'note' ? kind : 'problem', kind })) as never
    expect(snapshotBadge({ freshness, lastRun: { status } as never, problems })).toEqual(badge)
  })
})
