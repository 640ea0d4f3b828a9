import { describe, expect, it } from 'vitest'
import { endingNotes, eventsOf } from '../../../functions/story/notes.ts'
import { delivered, newIncrement, unpublished } from '../../../stored/run/increment-run.ts'
import type { OpenRange } from '../../../stored/run/range.ts'
import { type ActiveFullRun, newRun, type RefusedRun, type Run } from '../../../stored/run/run.ts'
import {
  accepted,
  cancelled,
  failed,
  published,
  publishing,
  refused,
  running,
  waiting,
  withRange,
} from '../../../stored/run/run-changes.ts'
import { fallback, mapRanges, plannedRanges } from '../../../stored/run/split.ts'
import { entityNamed } from '../../entity-named.ts'
import { planOfRanges } from '../stored/run/plan-of-ranges.ts'

const now = Date.parse('2026-11-21T12:00:00Z')
const progress = { documents: 95, pages: 10, total: 95, rangeProgress: [] }
const end = { progress, now, reason: 'The reason.' }
const at = (seconds: number) => new Date(now + seconds * 1000).toISOString()

function run(change: Partial<ActiveFullRun> = {}): ActiveFullRun {
  const start = { runId: 'r', entity: entityNamed('CL'), acceptShrink: false, execution: undefined, now }
  return { ...newRun(start), ...change } as ActiveFullRun
}

/** A run whose only range has changed. */
function withRangeOf(change: Partial<OpenRange>, of: Partial<ActiveFullRun> = {}): ActiveFullRun {
  return withRange(run(of), 0, (range) => ({ ...range, ...change }))
}

const texts = (of: Run) =>
  [...eventsOf(of, now), ...endingNotes(of)].map(({ level, text }) => `${level}: ${text}`)

describe('the story of a run', () => {
  it('is empty for a run that just began', () => expect(texts(run())).toEqual([]))

  it.each([
    ['exact', /^good: Proof: exact\. The number of unique ids equals the total/],
    ['within-tolerance', /^good: Proof: within tolerance\. .* totalTolerancePercent/],
    ['no-total', /^good: Proof: no total\. The platform reported no total/],
  ] as const)('explains the proof %s', (proof, text) => {
    const result = { ...progress, proof, uniqueIds: 95, spent: {} } as never
    const ended = published(publishing(run(), result, now), { manifest: 'm', progress, now })
    const [first, last] = texts(ended)
    expect(first).toMatch(text)
    expect(last).toBe('good: Published 95 documents with 95 unique ids.')
  })

  it('explains why the entity was scrolled again, and what the earlier attempts found', () => {
    const [line] = texts(withRangeOf({ attempt: 3, cleanCounts: [94, 93] }))
    expect(line).toBe(
      'warning: Scrolled again from the first page: this is attempt 3. Earlier attempts that were not suspect found 94 and 93 unique documents.',
    )
    const [other] = texts(withRangeOf({ attempt: 2 }))
    expect(other).toBe(
      'warning: Scrolled again from the first page: this is attempt 2. The earlier attempts did not finish, or may have lost a page.',
    )
  })

  it('explains a suspect attempt', () => {
    expect(texts(withRangeOf({ suspect: true }))).toEqual([
      expect.stringMatching(
        /^warning: The attempt is suspect\. .*a page may be missing.* proves that the snapshot is complete\.$/,
      ),
    ])
  })

  it('counts the faults, the most frequent first', () => {
    expect(texts(run({ faults: { timeout: 1200, '429': 1, '599': 2 } }))).toEqual([
      'info: The platform did not respond in time, 1,200 times.',
      'info: The platform returned 599, 2 times.',
      'info: The platform throttled the request (429).',
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
    ['not-json', 'A response was cut off or was not a JSON array'],
    ['other', 'A request failed without a known reason'],
  ])('explains the fault %s', (fault, text) => {
    expect(texts(run({ faults: { [fault]: 1 } }))).toEqual([`info: ${text}.`])
  })

  it('does not name a fault that is the reason of a failed run once more', () => {
    const stopped = (change: Partial<ActiveFullRun>, ending: object) =>
      texts(failed(run(change), { ...end, ...ending }))
    const empty = { progress: { ...progress, documents: 0 } }
    const only = `problem: Failed: The reason. ${unchanged}`
    expect(stopped({ faults: { '400': 1 } }, empty)).toHaveLength(1)
    expect(stopped({ faults: { interrupted: 8 } }, { cause: 'platform-away' })).toEqual([only])
    // Others than the last one may be among them.
    expect(stopped({ faults: { interrupted: 8, '429': 1 } }, { cause: 'platform-away' })).toHaveLength(3)
    expect(stopped({ faults: { interrupted: 1 } }, {})).toHaveLength(2)
    expect(texts(cancelled(run({ faults: { '503': 1 } }), { ...end, ...empty }))).toHaveLength(2)
  })

  it('says how to fix what a run failed for, if that is known', () => {
    const [line] = texts(failed(run(), { ...end, progress: { ...progress, total: 100 } }))
    expect(line).toMatch(/^problem: Failed: The reason\. /)
    expect(line).toMatch(/the platform's total is wrong: .* then sync it\. The published snapshot/)
  })

  const waits = [
    { reason: 'All 5 slots are taken.', from: at(-600), to: at(-420) },
    { reason: 'The platform throttles.', from: at(-300), to: at(-241) },
    { reason: 'The platform is away.', from: at(-120), to: at(12) },
  ]
  const over = 'info: Waited 3 min: All 5 slots are taken.'

  it.each<[name: string, change: object, lines: string[]]>([
    ['that took a minute or more', { waits }, [over, 'info: Waited 2 min 12 s: The platform is away.']],
    [
      'of a run that waits, the last one with when it continues',
      { status: 'waiting', waits },
      [over, 'info: Waiting for 2 min: The platform is away. Next try in 12 s.'],
    ],
    ['of 1.0.0, by its reason', { status: 'waiting', reason: 'No slot.' }, ['info: Waiting: No slot.']],
  ])('names waits: %s', (_, change, lines) => expect(texts({ ...run(), ...change } as never)).toEqual(lines))

  it('names the reason why it was scrolled without partitions', () => {
    const split = fallback('The search failed.', { pageSize: 10, now })
    expect(texts(run({ split }))).toEqual(['warning: Scrolled without partitions: The search failed.'])
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
    expect(texts({ ...run(), abandoned: false, ...change } as never)).toEqual(lines)
  })

  it('of an abandoned run that published says so at the end', () => {
    const ended = { status: 'published', proof: 'exact', documents: 1, uniqueIds: 1200, abandoned: true }
    expect(texts({ ...run(), ...ended } as never).slice(1)).toEqual([
      'good: Published 1 document with 1,200 unique ids.',
      abandoned,
    ])
  })

  it('names the ranges that were scrolled again or are suspect', () => {
    const filters = ['a', 'b', 'c'].map((where) => ({ where, documents: 31 }))
    const planned = plannedRanges({ ...planOfRanges, filters }, { pageSize: 10, now })
    const split = mapRanges(planned, (range, index) => ({ ...range, attempt: index + 1, suspect: index > 1 }))
    const lines = texts(run({ split }))
    expect(lines).toHaveLength(4)
    expect(lines[0]).toBe(
      'info: Scrolled in 3 ranges of x. The platform reported 95 documents before the ranges were opened.',
    )
    expect(lines[1]).toMatch(/^warning: Range 2 \(b\): Scrolled again .* attempt 2\./)
    expect(lines[2]).toMatch(/^warning: Range 3 \(c\): Scrolled again .* attempt 3\./)
    expect(lines[3]).toMatch(/^warning: Range 3 \(c\): The attempt is suspect\. The outcome/)
  })

  it('says of a wait since when it lasts, for what, and when the run tries again', () => {
    const wait = (at: number, waitMs: number) =>
      ({ for: 'slot', reason: 'No slot is free.', waitMs, now: at }) as const
    const first = waiting(run(), wait(now - 180_000, 30_000))
    const second = waiting(running(first, now - 140_000), wait(now - 140_000, 152_000))
    expect(texts(second)).toEqual([
      'info: Waiting for 3 min: No slot is free. Next try when a slot is free, in 12 s at the latest.',
    ])
    expect(texts(waiting(run(), wait(now - 60_000, 60_000)))).toEqual([
      'info: Waiting for 1 min: No slot is free. Trying again.',
    ])
    expect(texts(running(second, now + 13_000))).toEqual(['info: Waited 3 min 12 s: No slot is free.'])
    // A run that was woken has not waited until its next try.
    expect(texts(running(second, now))).toEqual(['info: Waited 3 min: No slot is free.'])
    expect(texts(running(waiting(run(), wait(now, 59_000)), now))).toEqual([])
    // Nor has one that was cancelled.
    const [waited] = texts(cancelled(second, { ...end, now: now - 20_000 }))
    expect(waited).toBe('info: Waited 2 min 40 s: No slot is free.')
  })

  it('says how long a person took to accept a refused snapshot', () => {
    const result = { ...progress, proof: 'exact', uniqueIds: 95, spent: {} } as never
    const decided = { by: 'alice', result, worker: 'w', execution: 'arn:y', now: now + 69_000 }
    const publication = accepted(refused(run(), end) as RefusedRun, decided)
    const done = published(publication, { manifest: 'm', progress, now: now + 70_000 })
    expect(texts(done)[0]).toBe(
      'info: A guard refused the snapshot. It waited 1 min 9 s for a decision, and alice accepted it.',
    )
    const both = accepted(refused(run(), end) as RefusedRun, { ...decided, withChanges: true })
    expect(texts(published(both, { manifest: 'm', progress, now: now + 70_000 }))[0]).toMatch(
      /alice accepted it with its change set\.$/,
    )
    expect(texts(failed(publication, end))).toEqual([
      `problem: A guard refused the snapshot. alice accepted it, but it could not be published: The reason. ${unchanged}`,
    ])
  })

  const increment = newIncrement({ runId: 'i', entity: entityNamed('CL'), execution: undefined, now })
  it.each([
    [0, 'Found nothing new'],
    [1200, 'Delivered 1,200 records'],
  ])(
    'of an increment with %i records names its window, and neither a snapshot nor a tolerance',
    (records, found) => {
      const window = { from: 'A', to: 'B', records, older: 0, withoutId: 0 }
      const proof = 'within-tolerance'
      const counts = { uniqueIds: 5, pages: 1, total: 5 }
      const delivery = { status: 'published', proof, ...counts, manifest: null, increment: window } as const
      const ended = delivered(increment, delivery, now)
      expect(texts(ended)).toEqual([
        expect.stringMatching(
          /^good: Proof: within tolerance\. Two scrolls of the window found the same ids/,
        ),
        `good: ${found} in the window from A to B.`,
      ])
      expect(texts(ended).join()).not.toMatch(/snapshot|totalTolerancePercent/)
    },
  )

  it('of an increment that failed says that the next one covers its window', () => {
    expect(texts(unpublished(increment, { status: 'failed', reason: 'The reason.' }, now))).toEqual([
      'problem: Failed: The reason. Nothing is lost: the next increment covers its window.',
    ])
  })

  it('of a repeat names the run that it repeats', () => {
    expect(texts(run({ repeat: { of: 'first', after: 'second' } }))).toEqual([
      'info: Repeats run first, which failed because the platform was away.',
    ])
  })

  it('names crashes and accepted shrinks', () => {
    const lines = texts(withRangeOf({ crashes: { count: 2, page: 7 } }, { acceptShrink: true }))
    expect(lines[0]).toBe('info: Started with “accept shrink”: the shrink guard does not apply.')
    expect(lines[1]).toBe('warning: 2 workers in a row crashed after page 7.')
    const [one] = texts(withRangeOf({ crashes: { count: 1, page: 7 } }))
    expect(one).toBe('warning: A worker crashed after page 7.')
  })
})
