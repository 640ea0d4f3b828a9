import { describe, expect, it } from 'vitest'
import { isBehind, tableStateOf, tableText } from '../../../../operator/tables/table-state.ts'

const now = Date.parse('2026-03-01T12:00:00Z')
const minutesAgo = (minutes: number) => new Date(now - minutes * 60_000).toISOString()
const older = '20260301T000000000Z-0123456789ab'
const published = '20260301T060000000Z-0123456789ab'
const newer = '20260301T110000000Z-0123456789ab'

const failure = (runId: string) => ({ runId, reason: 'S3 was unavailable.', failedAt: minutesAgo(5) })

function stateOf(change: object) {
  return tableStateOf({
    snapshot: { runId: published, publishedAt: minutesAgo(90) },
    table: { runId: published },
    failure: undefined,
    now,
    ...change,
  })
}

describe('the table of an entity', () => {
  it.each([
    ['is current if it is that of the published run', {}, 'current'],
    ['is current if it is already that of the next run', { table: { runId: newer } }, 'current'],
    ['is not expected before the first snapshot', { snapshot: null, table: undefined }, 'none'],
    [
      'is being made within an hour after the publication',
      { table: { runId: older }, snapshot: { runId: published, publishedAt: minutesAgo(59) } },
      'pending',
    ],
    [
      'is being made although the one before failed',
      {
        table: { runId: older },
        snapshot: { runId: published, publishedAt: minutesAgo(1) },
        failure: failure(older),
      },
      'pending',
    ],
    ['is current although it failed before', { failure: failure(published) }, 'current'],
  ])('%s', (_what, change, kind) => {
    expect(stateOf(change)).toEqual({ kind })
  })

  it('is behind an hour after the publication', () => {
    const state = stateOf({ table: { runId: older } })
    expect(state).toEqual({
      kind: 'behind',
      runId: published,
      tableRun: older,
      since: minutesAgo(90),
      reason: null,
    })
    expect(isBehind(state) && tableText(state)).toBe(
      `Run ${published} is published without its table. The table is that of run ${older}.`,
    )
  })

  it('is behind as soon as it has failed, with the reason', () => {
    const snapshot = { runId: published, publishedAt: minutesAgo(6) }
    const state = stateOf({ table: undefined, snapshot, failure: failure(published) })
    expect(state).toMatchObject({ kind: 'behind', tableRun: null, since: minutesAgo(5) })
    expect(isBehind(state) && tableText(state)).toBe(
      `The table of run ${published} failed: S3 was unavailable. There is no table.`,
    )
  })
})
