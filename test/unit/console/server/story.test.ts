import { describe, expect, it } from 'vitest'
import { storyOf } from '../../../../console/server/data/story.ts'
import type { OpenRange } from '../../../../functions/state/run/range.ts'
import { type ActiveFullRun, newRun } from '../../../../functions/state/run/run.ts'
import {
  cancelled,
  failed,
  published,
  publishing,
  refused,
  waiting,
  withRange,
} from '../../../../functions/state/run/run-changes.ts'
import { fallback, mapRanges, plannedRanges } from '../../../../functions/state/run/split.ts'
import { entityNamed } from '../../../entity-named.ts'

const now = Date.parse('2026-11-21T12:00:00Z')
const progress = { documents: 95, pages: 10, total: 95, rangeProgress: [] }
const end = { progress, now, reason: 'The reason.' }

function run(change: Partial<ActiveFullRun> = {}): ActiveFullRun {
  const start = { runId: 'r', entity: entityNamed('CL'), acceptShrink: false, execution: undefined, now }
  return { ...newRun(start), ...change } as ActiveFullRun
}

/** A run whose only range has changed. */
function withRangeOf(change: Partial<OpenRange>, of: Partial<ActiveFullRun> = {}): ActiveFullRun {
  return withRange(run(of), 0, (range) => ({ ...range, ...change }))
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
    const [line] = texts(storyOf(withRangeOf({ attempt: 3, cleanCounts: [94, 93] })))
    expect(line).toBe(
      'warning: Scrolled again from the first page: this is attempt 3. Earlier attempts that were not suspect found 94 and 93 unique documents.',
    )
    const [other] = texts(storyOf(withRangeOf({ attempt: 2 })))
    expect(other).toBe(
      'warning: Scrolled again from the first page: this is attempt 2. The earlier attempts did not finish, or may have lost a page.',
    )
  })

  it('explains a suspect attempt', () => {
    expect(texts(storyOf(withRangeOf({ suspect: true })))).toEqual([
      expect.stringMatching(
        /^warning: The attempt is suspect\. .*a page may be missing.* proves that the snapshot is complete\.$/,
      ),
    ])
  })

  it('counts the faults, the most frequent first', () => {
    expect(texts(storyOf(run({ faults: { timeout: 1200, '429': 1, '599': 2 } })))).toEqual([
      'info: The platform did not respond in time: 1,200 times.',
      'info: The platform returned 599: 2 times.',
      'info: The platform throttled the request (429): once.',
    ])
  })

  it.each([
    ['401', 'The platform rejected the credentials (401)'],
    ['403', 'The platform rejected the credentials (403)'],
    ['408', 'The platform gave up on a request (408)'],
    ['not-sent', 'A request could not be sent in time'],
    ['unreachable', 'The platform was unreachable'],
    ['interrupted', 'The connection was interrupted'],
    ['too-large', 'A response was larger than Longshore accepts'],
    ['not-json', 'A response was cut off or was not JSON'],
    ['other', 'A request failed without a known reason'],
  ])('explains the fault %s', (fault, text) => {
    expect(texts(storyOf(run({ faults: { [fault]: 1 } })))).toEqual([`info: ${text}: once.`])
  })

  it('names the reason why it was scrolled without partitions', () => {
    const split = fallback('The search failed.', { pageSize: 10, now })
    expect(texts(storyOf(run({ split })))).toEqual([
      'warning: Scrolled without partitions: The search failed.',
    ])
  })

  const unchanged = 'The published snapshot has not changed.'
  const abandoned = 'warning: The worker of this run disappeared. The next run of the entity closed this one.'
  it.each<[change: object, lines: string[]]>([
    [{ status: 'publishing' }, ['info: The snapshot is complete and is being published.']],
    [{ status: 'skipped', reason: 'Another run.' }, ['info: Skipped: Another run.']],
    [{ status: 'failed', reason: 'Why.' }, [`problem: Failed: Why. ${unchanged}`]],
    [
      { status: 'failed', reason: 'Why.', abandoned: true },
      [`problem: Failed: Why. ${unchanged}`, abandoned],
    ],
    [{ status: 'refused', reason: 'Why.' }, [`problem: A guard refused the snapshot. ${unchanged}`]],
    [{ status: 'cancelled', reason: 'Why.' }, [`warning: Cancelled: Why. ${unchanged}`]],
  ])('ends %j', (change, lines) => {
    expect(texts(storyOf({ ...run(), abandoned: false, ...change } as never))).toEqual(lines)
  })

  it('of an abandoned run that published says so at the end', () => {
    const ended = { status: 'published', proof: 'exact', documents: 1, uniqueIds: 1200, abandoned: true }
    expect(texts(storyOf({ ...run(), ...ended } as never)).slice(1)).toEqual([
      'good: Published 1 document with 1,200 unique ids.',
      abandoned,
    ])
  })

  it('names the ranges that were scrolled again or are suspect', () => {
    const filters = ['a', 'b', 'c'].map((where) => ({ where, documents: 31 }))
    const plan = {
      by: 'x',
      count: 2,
      boundaries: [],
      searchedAt: '',
      total: 95,
      coverage: 'exact',
      onBoundaries: 0,
    } as const
    const planned = plannedRanges({ ...plan, filters }, { pageSize: 10, now })
    const split = mapRanges(planned, (range, index) => ({ ...range, attempt: index + 1, suspect: index > 1 }))
    const lines = texts(storyOf(run({ split })))
    expect(lines).toHaveLength(4)
    expect(lines[0]).toBe(
      'info: Scrolled in 3 ranges of x. The platform reported 95 documents before the ranges were opened.',
    )
    expect(lines[1]).toMatch(/^warning: Range 2 \(b\): Scrolled again .* attempt 2\./)
    expect(lines[2]).toMatch(/^warning: Range 3 \(c\): Scrolled again .* attempt 3\./)
    expect(lines[3]).toMatch(/^warning: Range 3 \(c\): The attempt is suspect\. The outcome/)
  })

  it('gives the reason of an end without a publication unless its review has it, and that the snapshot stays', () => {
    expect(texts(storyOf(refused(run(), end)))).toEqual([
      'problem: A guard refused the snapshot. The published snapshot has not changed.',
    ])
    expect(texts(storyOf(failed(run(), end)))[0]).toMatch(/^problem: Failed: The reason\./)
    expect(texts(storyOf(cancelled(run(), end)))[0]).toMatch(/^warning: Cancelled: The reason\./)
  })

  it('gives the reason of a wait', () => {
    expect(texts(storyOf(waiting(run(), 'No slot.', now)))).toEqual(['info: Waiting: No slot.'])
  })

  it('names one crash', () => {
    const lines = texts(storyOf(withRangeOf({ crashes: { count: 1, page: 7 } })))
    expect(lines).toEqual(['warning: A worker crashed after page 7.'])
  })

  it('names crashes and accepted shrinks', () => {
    const lines = texts(storyOf(withRangeOf({ crashes: { count: 2, page: 7 } }, { acceptShrink: true })))
    expect(lines[0]).toBe('info: Started with “accept shrink”: the shrink guard does not apply.')
    expect(lines[1]).toBe('warning: 2 workers in a row crashed after page 7.')
  })
})
