import { describe, expect, it } from 'vitest'
import { hasProblem, isBehind, readTable, tableText } from '../../../functions/problems/table-state.ts'
import type { GlueState } from '../../../stored/tables/table.ts'

const now = Date.parse('2026-03-01T12:00:00Z')
const minutesAgo = (minutes: number) => new Date(now - minutes * 60_000).toISOString()
const older = '20260301T000000000Z-0123456789ab'
const published = '20260301T060000000Z-0123456789ab'
const newer = '20260301T110000000Z-0123456789ab'

const failure = (runId: string) => ({ runId, reason: 'S3 was unavailable.', failedAt: minutesAgo(5) })

const refused: GlueState = { state: 'failed', reason: 'AccessDeniedException', since: minutesAgo(80) }
const table = (runId: string, glue: GlueState | null = { state: 'current' }) => ({ runId, glue })

async function stateOf(change: object) {
  const given = {
    snapshot: { runId: published, publishedAt: minutesAgo(90) },
    table: table(published),
    failure: undefined,
    ...change,
  }
  const store = {
    readLatest: async () => given.table && { value: given.table },
    readFailure: async () => given.failure,
  }
  return (await readTable(store as never, 'CL', { snapshot: given.snapshot, now })).state
}

describe('the table of an entity', () => {
  it.each([
    ['is current if it is that of the published run', {}, 'current'],
    ['is current if it is already that of the next run', { table: table(newer) }, 'current'],
    ['is not expected before the first snapshot', { snapshot: null, table: undefined }, 'none'],
    [
      'is being made within an hour after the publication',
      { table: table(older), snapshot: { runId: published, publishedAt: minutesAgo(59) } },
      'pending',
    ],
    [
      'is being made although the previous one failed',
      {
        table: table(older),
        snapshot: { runId: published, publishedAt: minutesAgo(1) },
        failure: failure(older),
      },
      'pending',
    ],
    ['is current although it failed before', { failure: failure(published) }, 'current'],
    ['is current without a Glue database', { table: table(published, { state: 'off' }) }, 'current'],
    ['is current before Glue was updated', { table: table(published, null) }, 'current'],
    [
      'is being made, which updates Glue that refused the previous one',
      { table: table(older, refused), snapshot: { runId: published, publishedAt: minutesAgo(1) } },
      'pending',
    ],
  ])('%s', async (_what, change, kind) => expect(await stateOf(change)).toEqual({ kind }))

  it('is behind an hour after the publication', async () => {
    const state = await stateOf({ table: table(older, refused) })
    expect(state).toEqual({
      kind: 'behind',
      runId: published,
      tableRun: older,
      since: minutesAgo(90),
      reason: null,
    })
    expect(isBehind(state) && tableText(state)).toBe(
      `Run ${published} is published without its table. The table is from run ${older}.`,
    )
  })

  it('is behind as soon as it has failed, with the reason', async () => {
    const snapshot = { runId: published, publishedAt: minutesAgo(6) }
    const state = await stateOf({ table: undefined, snapshot, failure: failure(published) })
    expect(state).toMatchObject({ kind: 'behind', tableRun: null, since: minutesAgo(5) })
    expect(isBehind(state) && tableText(state)).toBe(
      `The table of run ${published} failed: S3 was unavailable. There is no table.`,
    )
  })

  it('is not in Glue if Glue could not be updated, which fails no table', async () => {
    const state = await stateOf({ table: table(published, refused) })
    const reason = 'AccessDeniedException'
    expect(state).toEqual({ kind: 'unlisted', runId: published, since: minutesAgo(80), reason })
    expect(isBehind(state)).toBe(false)
    expect(hasProblem(state) && tableText(state)).toBe(
      `Glue could not be updated for the table of run ${published} (AccessDeniedException). Athena finds an earlier table or none; readers without a catalog find this one.`,
    )
  })
})
