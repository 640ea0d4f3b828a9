import { expect, it } from 'vitest'
import { retentionText } from '../../../../cli/retention/retention-text.ts'
import { retentionOf } from '../../../../operator/retention/retention.ts'
import type { InventoryEntry, Owner } from '../../../../stored/inventory/inventory.ts'
import type { ReasonKind } from '../../../../stored/inventory/reason.ts'
import { entityNamed } from '../../../entity-named.ts'

const changes = { ignore: [], maxDeletePercent: 10, keepDays: 12 }
const ends = Date.parse('2026-11-21T12:00:00Z')
const timed: ReadonlySet<ReasonKind> = new Set(['refused', 'links', 'query'])

/** An object of a folder that stays for these reasons, of which some end with time. */
const entry = (folder: string, owner: Owner, ...kinds: ReasonKind[]): InventoryEntry => ({
  version: { key: `${folder}/CL/r/a`, versionId: 'null', isLatest: true, writtenAt: 0 },
  owner,
  runId: 'r',
  reasons: kinds.map((kind) => ({ kind, until: timed.has(kind) ? ends : undefined })),
})

const rowsOf = (entries: readonly InventoryEntry[], limits: { eraseWithinDays?: number } = {}) =>
  retentionOf(
    entityNamed('CL', { keepSnapshots: { last: 3, daily: 30 }, changes }),
    {
      entries,
      items: (['state', 'run', 'pages'] as const).map((owner) => ({
        key: { pk: '', sk: '' },
        owner,
        reasons: [],
        execution: undefined,
      })),
    },
    { eraseWithinDays: undefined, logRetentionDays: 90, ...limits },
  )

it.each<[entry: InventoryEntry, kept: string, limit: string, why: string]>([
  [
    entry('snapshots', 'snapshot', 'published', 'chain-snapshot'),
    'until a newer one is published, and until the next change set',
    '',
    'readers rely on it; the next comparison starts from it',
  ],
  [
    entry('snapshots', 'snapshot', 'keep-snapshots'),
    'until enough newer ones are published',
    '; at most 27 days after its run, or after it was replaced',
    'keepSnapshots: {"last":3,"daily":30}',
  ],
  [
    entry('snapshots', 'refused snapshot', 'refused'),
    'until a newer run publishes or seven newer ones are refused; at most until 2026-11-21 12:00 UTC',
    '; at most 27 days after its run',
    'it can be accepted',
  ],
  [
    entry('snapshots', 'pages'),
    'until the clean-up after the next publication or refusal',
    '; at most 27 days after its run',
    'nothing needs it any more',
  ],
  [
    entry('changes', 'increment', 'listed', 'links'),
    'while it is listed, and while links to it may be used',
    '; at most 27 days after its run',
    'changes.keepDays: 12; with increments, the newest 300; changes.keepDays, and a day for links',
  ],
])('a row is shown for %j', (...row) => {
  const [stored, kept, limit, why] = row
  const where = stored.version.key.replace(/r\/a$/, '')
  expect(rowsOf([stored, stored])[0]).toMatchObject({ where, count: 2, kept, why })
  expect(rowsOf([stored], { eraseWithinDays: 30 })[0]).toMatchObject({ count: 1, kept: kept + limit })
})

it('items, responses, old versions and logs follow', () => {
  expect(rowsOf([]).map(({ where, count, kept }) => [where, count, kept.split(';')[0]])).toEqual([
    ['the bucket, as old versions', null, '7 days'],
    ['the state table', 2, 'runs 30 days after they end'],
    ['the state table', 1, '30 days after their commit'],
    ['the state table', null, '24 hours, usually deleted within 48 hours after that'],
    ['CloudWatch Logs', null, '90 days'],
  ])
})

it('the text has a paragraph for each thing, below what can be promised', () => {
  const row = { where: 'the bucket', kept: 'for 7 days', why: 'a mistake' }
  const rows = [
    { ...row, what: 'Objects', count: 3 },
    { ...row, what: 'Logs', count: null },
  ]
  expect(retentionText('CL', rows, 30)).toBe(
    `CL: what a document contained is gone from the bucket, old versions included, at most 30 days after the first published snapshot without it.

Objects (the bucket, 3)
  for 7 days
  Reason: a mistake

Logs (the bucket)
  for 7 days
  Reason: a mistake`,
  )
  expect(retentionText('CL', rows, undefined)).toMatch(/^CL: eraseWithinDays is not set/)
})
