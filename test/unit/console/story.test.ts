import { describe, expect, it } from 'vitest'
import { storyOf } from '../../../console/server/data/story.ts'
import { plannedRanges } from '../../../functions/state/run/partitions.ts'
import { type ActiveRun, newRun } from '../../../functions/state/run/run.ts'
import {
  cancelled,
  failed,
  published,
  publishing,
  refused,
  waiting,
} from '../../../functions/state/run/run-changes.ts'
import { entityNamed } from '../../entity-named.ts'

const now = Date.parse('2026-11-21T12:00:00Z')
const progress = { documents: 95, pages: 10, total: 95 }
const end = { progress, now, reason: 'The reason.' }

function run(change: Partial<ActiveRun> = {}): ActiveRun {
  const start = { runId: 'r', entity: entityNamed('CL'), acceptShrink: false, execution: undefined, now }
  return { ...newRun(start), ...change } as ActiveRun
}

const texts = (story: ReturnType<typeof storyOf>) => story.map(({ level, text }) => `${level}: ${text}`)

describe('the story of a run', () => {
  it('is empty for a run that just began', () => expect(storyOf(run())).toEqual([]))

  it.each([
    ['exact', /^good: Proof: exact\. The number of unique ids equals the total/],
    ['within-tolerance', /^good: Proof: within tolerance\. .* totalTolerancePercent/],
    ['no-total', /^good: Proof: no total\. The platform reported no total/],
  ] as const)('explains the proof %s', (proof, text) => {
    const result = { ...progress, proof, uniqueIds: 95, spent: {} } as never
    const ended = published(publishing(run(), result, now), { manifest: 'm', progress, now })
    const [first, last] = texts(storyOf(ended))
    expect(first).toMatch(text)
    expect(last).toBe('good: Published 95 documents with 95 unique ids.')
  })

  it('explains why the entity was scrolled again, and what the earlier attempts found', () => {
    const [line] = texts(storyOf(run({ attempt: 3, cleanCounts: [94, 93] })))
    expect(line).toMatch(/^warning: Scrolled again .* attempt 3\. .* found 94 and 93 unique documents\.$/)
    const [other] = texts(storyOf(run({ attempt: 2 })))
    expect(other).toContain('ended before their count could prove anything')
  })

  it('explains a suspect attempt', () => {
    expect(texts(storyOf(run({ suspect: true })))[0]).toContain('a page may be missing')
  })

  it('counts the faults, the most frequent first', () => {
    expect(texts(storyOf(run({ faults: { timeout: 1, '429': 1200, '599': 2 } })))).toEqual([
      'info: The platform throttled (429): 1,200 times.',
      'info: The platform answered 599: 2 times.',
      'info: The platform did not answer in time: once.',
    ])
  })

  it('names the ranges that were scrolled again or are suspect', () => {
    const plan = { by: 'createdIn', count: 2, boundaries: [], totalBefore: 95, filters: ['a', 'b', 'c'] }
    const planned = plannedRanges(plan, 10)
    const ranges = planned.ranges.map((range, index) => ({
      ...range,
      attempt: index + 1,
      suspect: index > 1,
    }))
    const lines = texts(storyOf(run({ partitions: { ...planned, ranges } })))
    expect(lines).toHaveLength(3)
    expect(lines[1]).toBe('warning: Range 2 (b): It was scrolled 2 times.')
    expect(lines[2]).toMatch(/^warning: Range 3 \(c\): It was scrolled 3 times\. The outcome/)
  })

  it('gives the reason of an end without a publication, and that the snapshot stays', () => {
    expect(texts(storyOf(refused(run(), end)))).toEqual([
      'problem: Refused: The reason. The published snapshot has not changed.',
    ])
    expect(texts(storyOf(failed(run(), end)))[0]).toMatch(/^problem: Failed: The reason\./)
    expect(texts(storyOf(cancelled(run(), end)))[0]).toMatch(/^warning: Cancelled: The reason\./)
  })

  it('gives the reason of a wait', () => {
    expect(texts(storyOf(waiting(run(), 'No slot.', now)))).toEqual(['info: Waiting: No slot.'])
  })

  it('names crashes and accepted shrinks', () => {
    const lines = texts(storyOf(run({ acceptShrink: true, crashes: { count: 2, attempt: 1, page: 7 } })))
    expect(lines[0]).toContain('the shrink guard does not apply')
    expect(lines[1]).toBe('warning: 2 workers in a row crashed after page 7 of attempt 1.')
  })
})
