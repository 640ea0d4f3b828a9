import { expect, it } from 'vitest'
import {
  changesNotices,
  changesText,
  nextRunLabel,
  scheduleText,
  shownRun,
} from '../../../../console/client/model/entity-summary.ts'
import type { ChangesRow, EntityRow } from '../../../../console/contract/overview.ts'

const counts = { created: 1200, updated: 3, deleted: 1, delivered: 0 }
const set = { runId: 'r', base: 'a', kind: 'changes', ...counts } as const
const last = (change: object = {}): ChangesRow => ({
  kind: 'last',
  set: { ...set, ...change },
  isCurrent: true,
})
const entity = (change: object = {}) =>
  ({
    entity: 'CL',
    schedule: 'rate(1 day)',
    timezone: 'UTC',
    enabled: true,
    freshness: { kind: 'fresh', ageMs: 1, maxAgeMs: 2 },
    snapshot: { runId: 'r', publishedAt: '', documents: 95 },
    changes: last(),
    running: null,
    problems: [],
    lastRun: { runId: 'r', status: 'published', documents: 95, reason: null, partitionsReason: null },
    ...change,
  }) as unknown as EntityRow

it.each([
  [{ kind: 'run', at: '2026-11-21T15:00:00.000Z' }, 'in 3 h'],
  [{ kind: 'paused' }, 'paused'],
  [{ kind: 'paused', until: '2026-11-21T20:00:00Z' }, 'paused, 8 h left'],
  [{ kind: 'none' }, '–'],
  [{ kind: 'unknown' }, 'unknown'],
] as const)('the next run %j is shown as %s', (next, text) => {
  expect(nextRunLabel(next, '2026-11-21T12:00:00.000Z')).toBe(text)
})

it.each([
  [{}, 'rate(1 day)'],
  [{ timezone: 'Europe/Lisbon' }, 'rate(1 day) Europe/Lisbon'],
  [{ enabled: false, timezone: 'Europe/Lisbon' }, 'on demand'],
])('the schedule of %j is shown as %s', (change, text) => expect(scheduleText(entity(change))).toBe(text))

it.each<[ChangesRow, string]>([
  [{ kind: 'off' }, 'off'],
  [{ kind: 'none' }, '–'],
  [last({ kind: 'reset' }), 'reset'],
  [last(), '+1,200 ~3 −1'],
])('the last change set %j is shown as %s', (changes, text) => expect(changesText(changes)).toBe(text))

it('explains why there is no list of change sets', () => {
  expect(changesNotices).toEqual({
    off: { title: 'Change sets are turned off.', text: expect.stringContaining('remove `changes: false`') },
    none: { title: 'There is no change set yet.', text: expect.stringMatching(/^The first publication/) },
    last: undefined,
  })
})

it('shows the run in progress, or else the last one', () => {
  const [running, lastRun] = [{ runId: 'now' }, { runId: 'last' }] as never as NonNullable<
    EntityRow['running']
  >[]
  expect(shownRun({ running: running ?? null, lastRun: lastRun ?? null })).toBe(running)
  expect(shownRun({ running: null, lastRun: lastRun ?? null })).toBe(lastRun)
  expect(shownRun({ running: null, lastRun: null })).toBeNull()
})
