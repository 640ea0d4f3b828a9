import { expect, it } from 'vitest'
import type { PageTimes } from '../../../functions/story/page-times.ts'
import { storyOf } from '../../../functions/story/story.ts'
import { newIncrement } from '../../../stored/run/increment-run.ts'
import { newRepublication, newRun, type Run, type RunWait } from '../../../stored/run/run.ts'
import { fallback, plannedRanges } from '../../../stored/run/split.ts'
import { entityNamed } from '../../entity-named.ts'
import { planOfRanges } from '../stored/run/plan-of-ranges.ts'

const start = Date.parse('2026-11-21T12:00:00.000Z')
const at = (seconds: number) => new Date(start + seconds * 1000).toISOString()
const begun = {
  entity: entityNamed('CL', { maxShrinkPercent: 30 }),
  acceptShrink: false,
  execution: undefined,
  now: start,
}
const created = newRun({ ...begun, runId: 'r' })
const range = created.split.kind === 'whole' ? created.split.range : undefined
const guarded = { decidedAt: at(17), uniqueIds: 95, publishedIds: 100 }
const result = { proof: 'exact', uniqueIds: 95, reportedTotal: 95, finishedAt: at(17) }
const ended = { endedAt: at(20), abandoned: false, documents: 95, pages: 10, total: 95 }
const published = { ...ended, guarded, status: 'published', proof: 'exact', uniqueIds: 95 }
const refused = { ...ended, status: 'refused', reason: 'Why.', guarded: { ...guarded, refusedBy: 'x' } }
const failed = { ...ended, status: 'failed', reason: 'Why.' }
const accepted = { by: 'Ada', refusal: 'Why.', refusedAt: at(20), acceptedAt: at(89) }
const times: PageTimes = { firstAt: at(5), lastAt: at(15), hasScrolled: true, count: 10 }
const scrolling = { ...times, hasScrolled: false }
const attempted = (seconds: number, attempt: number) => ({
  split: { kind: 'whole', range: { ...range, attempt, attemptStartedAt: at(seconds) } },
})
const filters = ['a', 'b'].map((where) => ({ where, documents: 48 }))
const ranges = plannedRanges({ ...planOfRanges, filters }, { pageSize: 10, now: start + 2_000 })
const slotWait = (from: number, to: number): RunWait => ({
  for: 'slot',
  reason: 'All taken.',
  from: at(from),
  to: at(to),
})
const platformWait: RunWait = { ...slotWait(7, 9), for: 'platform' }

const firstPage = 'First page, done 5'
const scrolled = 'Scroll, done 10: 10 pages, 1 pages/s'
const beginning = `${firstPage} | ${scrolled}`
const provenText = 'exact: 95 unique ids, reported total 95'
const proven = `Proof, done 2: ${provenText}`
const publication = `${proven} | Guards, done | Publication, done 3`
const decision = 'Guards, refused | Waiting for a decision, done'

/** Each with its state, seconds and detail. */
const phases = (change: object, pages: PageTimes | undefined) =>
  storyOf({ ...created, ...change } as Run, { now: start + 60_000, pages, refused: undefined })
    .phases.map(({ name, state, durationMs, detail }) => {
      const seconds = durationMs === null ? '' : ` ${durationMs / 1000}`
      return `${name}, ${state}${seconds}${detail && `: ${detail}`}`
    })
    .join(' | ')

it.each<[string, object, string, (PageTimes | 'not known')?]>([
  ['that was published', published, `${beginning} | ${publication}`],
  ['that a guard refused', refused, `${beginning} | Proof, done 2 | Guards, refused`],
  [
    'that a person accepted',
    { ...published, guarded: refused.guarded, accepted, endedAt: at(90) },
    `${beginning} | ${proven} | ${decision} 69: accepted by Ada | Publication, done 1`,
  ],
  [
    'that a person has just accepted',
    { status: 'publishing', result, guarded: refused.guarded, accepted: { ...accepted, acceptedAt: at(59) } },
    `${beginning} | ${proven} | ${decision} 39: accepted by Ada | Publication, now 1`,
  ],
  [
    'that was accepted in vain',
    { ...refused, accepted, endedAt: at(91) },
    `${beginning} | Proof, done 2 | ${decision} 69: accepted by Ada | Publication, stopped 2`,
  ],
  [
    'that failed after the guards',
    { ...failed, guarded },
    `${beginning} | Proof, done 2 | Guards, done | Publication, stopped 3`,
  ],
  [
    'of 1.0.0 that was published',
    { ...published, guarded: undefined },
    `${beginning} | Proof, guards and publication, done 5: ${provenText}`,
  ],
  [
    'of 1.0.0 that was refused',
    { ...refused, guarded: undefined },
    `${beginning} | Proof, guards and publication, refused 5`,
  ],
  [
    'that failed while it scrolled',
    failed,
    `${firstPage} | Scroll, stopped 15: 10 pages, 1 pages/s`,
    scrolling,
  ],
  ['that was not proven', failed, `${beginning} | Proof, stopped 5`],
  ['that is scrolling', {}, `${firstPage} | Scroll, now 55: 10 pages, 1 pages/s`, scrolling],
  ['that is being proven', {}, `${beginning} | Proof, now 45`],
  [
    'that is publishing',
    { status: 'publishing', result },
    `${beginning} | ${proven} | Guards and publication, now 43`,
  ],
  [
    'that waits for a slot',
    { status: 'waiting', reason: 'All taken.', waits: [slotWait(0, 75)] },
    'Waiting for a slot, now 60',
    'not known',
  ],
  [
    'that waited for a slot, and later for the platform and another slot',
    { ...published, waits: [slotWait(0, 4), platformWait, slotWait(8, 9)] },
    `Waiting for a slot, done 4 | First page, done 1 | ${scrolled} | ${publication}`,
  ],
  [
    'that was scrolled again',
    { ...published, ...attempted(4, 3) },
    `Earlier attempts, done 4: 2 attempts | First page, done 1 | ${scrolled} | ${publication}`,
  ],
  [
    'in ranges, whose pages have expired',
    { ...published, split: ranges },
    `Planning ranges, done 2: 2 ranges | Scroll, done 15: 10 pages | ${publication.replace('done 2', 'done')}`,
    'not known',
  ],
  [
    'whose ranges were given up',
    { split: fallback('No dates.', { pageSize: 10, now: start + 2_000 }) },
    'Ranges (abandoned), done 2: No dates. | First page, now 58',
    'not known',
  ],
])('the phases of a full sync %s', (...[, change, expected, pages = times]) => {
  expect(phases(change, pages === 'not known' ? undefined : pages)).toBe(expected)
})

it('the phases of a republication are the copy and what follows every snapshot', () => {
  const republication = newRepublication({ ...begun, runId: 'r', republishedFrom: 'other' })
  const { phases } = storyOf({ ...republication, ...published } as Run, { now: start })
  expect(phases.map(({ name, detail }) => [name, detail])).toEqual([
    ['Copy', 'of run other'],
    ['Proof', provenText],
    ['Guards', ''],
    ['Publication', ''],
  ])
})

it('an increment is one phase with its window', () => {
  const increment = { from: 'A', to: 'B', records: 1200, older: 0, withoutId: 0 }
  const run = { ...newIncrement({ ...begun, runId: 'r' }), ...published, increment } as Run
  const detail = 'window from A to B, 1,200 records'
  expect(storyOf(run, { now: start }).phases).toMatchObject([
    { name: 'Increment', state: 'done', durationMs: 20_000, detail },
  ])
})

const checksFor = (decided: object, change: object) =>
  storyOf({ ...created, ...published, ...change, guarded: { ...guarded, ...decided } } as Run, { now: start })
    .phases.flatMap(({ checks }) => checks)
    .map(({ name, state, detail }) => `${name}, ${state}: ${detail}`)

const shrink = 'Shrink, passed: 100 before, 95 after (5.0% fewer), limit 30%'
it.each<[decided: object, change: object, ...string[]]>([
  [{}, {}, 'Documents, passed: 95', shrink],
  [{ publishedIds: 90 }, {}, 'Documents, passed: 95', 'Shrink, passed: 90 before, 95 after, limit 30%'],
  [{ publishedIds: undefined }, {}, 'Documents, passed: 95', 'Shrink, passed: nothing was published before'],
  [
    { uniqueIds: 20, refusedBy: 'maxShrinkPercent' },
    {},
    'Documents, passed: 20',
    'Shrink, refused: 100 before, 20 after (80.0% fewer), limit 30%',
  ],
  [
    { uniqueIds: 0, refusedBy: 'allowEmpty' },
    {},
    'Documents, refused: 0',
    'Shrink, not reached: 100 before, 0 after (100.0% fewer), limit 30%',
  ],
  [
    { uniqueIds: 0 },
    { acceptShrink: true, plan: { ...created.plan, allowEmpty: true } },
    'Documents, passed: none, which allowEmpty allows',
    'Shrink, passed: 100 before, 0 after (100.0% fewer), no limit: started with “accept shrink”',
  ],
  [{ refusedBy: 'minDocuments' }, {}, 'Documents, passed: 95', shrink, 'minDocuments, refused: '],
])('the guards of a run show what they compared: %j %j', (decided, change, ...checks) => {
  expect(checksFor(decided, change)).toEqual(checks)
})
