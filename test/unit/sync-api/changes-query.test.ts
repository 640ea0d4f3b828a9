import { describe, expect, it } from 'vitest'
import { readPosition } from '../../../functions/sync-api/published/changes-query.ts'
import { formatCursor } from '../../../functions/sync-api/published/page-cursor.ts'

const since = '20260301T060000000Z-0123456789ab'
const read = (query: Record<string, string>) => readPosition(new Map(Object.entries(query)))

describe('the query of GET /syncs/{entity}/changes', () => {
  it.each([
    [{}, { kind: 'start', cursor: undefined }],
    [{ cursor: `${since}.1000` }, { kind: 'start', cursor: { runId: since, offset: 1000 } }],
    [{ cursor: `${since}.1234567` }, { kind: 'start', cursor: { runId: since, offset: 1234567 } }],
    [{ since }, { kind: 'since', since, limit: 20, cursor: undefined }],
    [
      { since, limit: '1' },
      { kind: 'since', since, limit: 1, cursor: undefined },
    ],
    [
      { since, limit: '20' },
      { kind: 'since', since, limit: 20, cursor: undefined },
    ],
    [
      { since, cursor: `${since}.5` },
      { kind: 'since', since, limit: 20, cursor: { runId: since, offset: 5 } },
    ],
  ])('%o names a position', (query, position) => {
    expect(read(query)).toEqual(position)
  })

  it.each<[string, string, string]>([
    ['since', 'yesterday', 'since must be the id of a run.'],
    ...['', '0', '00', '21', '100', '-5', '1.5', 'x5', '5x', ' 5'].map((limit): [string, string, string] => [
      'limit',
      limit,
      'limit must be a whole number from 1 to 20.',
    ]),
    ...['', since, `${since}.`, `${since}.x`, `${since}.1x`, `${since}.12345678`, `x\n${since}.1`, 'x.1'].map(
      (cursor): [string, string, string] => [
        'cursor',
        cursor,
        'The cursor is malformed. Use the URL in next unchanged.',
      ],
    ),
  ])('is refused for a malformed %s: %j', (parameter, value, message) => {
    expect(() => read({ [parameter]: value })).toThrow(
      expect.objectContaining({ problem: 'invalid-request', message, extensions: { parameter } }),
    )
  })

  it('continues at a cursor of an earlier response', () => {
    const cursor = { runId: since, offset: 1000 }
    expect(read({ cursor: formatCursor(cursor) })).toEqual({ kind: 'start', cursor })
  })
})
