import { formatMinute, plural } from '../../functions/runtime/format.ts'
import type { EntitySettings } from '../../functions/runtime/settings.ts'
import { accessLogDays, oldVersionDays } from '../../functions/runtime/settings-schema/bucket-retention.ts'
import { keptDays } from '../../functions/runtime/settings-schema/erasure-days.ts'
import type { Configuration } from '../../lib/config.ts'
import { maxSets } from '../../stored/changes/chain-moves.ts'
import type { Inventory, InventoryEntry, Owner } from '../../stored/inventory/inventory.ts'
import { lastEnd, type ReasonKind } from '../../stored/inventory/reason.ts'

/** Something that is kept of an entity. */
export interface KeptData {
  readonly what: string
  /** A prefix in the bucket, or the place outside of it. */
  readonly where: string
  /** Objects or items; null if they are not counted. */
  readonly count: number | null
  readonly kept: string
  readonly why: string
}

/** What ends a reason, and why it is one. */
const reasons: Readonly<Record<ReasonKind, readonly [until: string, why: string]>> = {
  pointer: ['while the entity has data', 'readers start there'],
  'in-progress': ['until its run has ended and been cleaned up', 'something may still be writing'],
  published: ['until a newer one is published', 'readers rely on it'],
  previous: ['until the next publication', 'readers may still be reading it'],
  'keep-snapshots': ['until enough newer ones are published', 'keepSnapshots'],
  'chain-snapshot': ['until the next change set', 'the next comparison starts from it'],
  comparison: ['until the comparison has ended', 'the next comparison may start from it'],
  refused: ['until a newer run publishes or seven newer ones are refused', 'it can be accepted'],
  listed: ['while it is listed', 'readers follow the change sets'],
  tip: ['until the next full change set', 'the state of the last set consists of it'],
  links: ['while links to it may be used', 'changes.keepDays, and a day for links'],
  table: ['until a newer table replaces it', 'the table consists of it'],
  'in-glue': ['until Glue names the current table', 'Athena reads it'],
  query: ['while queries that began earlier may run', 'they may read it'],
  record: ['for 30 days', 'what a run has done can be looked up'],
  'old-version': [days(oldVersionDays), 'an object that was deleted by mistake can be restored'],
}

/** Of each owner: what comes next if nothing needs it, and since when `eraseWithinDays` counts. */
const owners: Readonly<Record<Owner, readonly [next: string, since: string | undefined]>> = {
  pointer: ['', undefined],
  snapshot: ['publication or refusal', 'its run, or after it was replaced'],
  'refused snapshot': ['publication or refusal', 'its run'],
  pages: ['publication or refusal', 'its run'],
  'change set': ['full change set', 'its oldest content was last published'],
  increment: ['full change set', 'its run'],
  'refused change set': ['full change set', 'it was written'],
  table: ['table', 'its run'],
}

type Limits = Pick<Configuration, 'eraseWithinDays' | 'logRetentionDays'>

/** What is kept of an entity, until when and why: what is stored now, then copies and traces of it. */
export function retentionOf(
  entity: EntitySettings,
  { entries, items }: Inventory,
  { eraseWithinDays, logRetentionDays }: Limits,
): KeptData[] {
  const groups = Map.groupBy(entries, groupOf)
  const rows = [...groups].toSorted(([one], [other]) => one.localeCompare(other))
  const pages = items.filter(({ owner }) => owner === 'pages').length
  return [
    ...rows.flatMap(([, group]) =>
      group.slice(0, 1).map((first) => rowOf(entity, first, { group, eraseWithinDays })),
    ),
    {
      what: 'Deleted and overwritten objects',
      where: 'the bucket, as old versions',
      count: null,
      kept: `${days(oldVersionDays)}${eraseWithinDays === undefined ? '' : '; never past the limit for the object itself'}`,
      why: reasons['old-version'][1],
    },
    {
      what: 'State of the entity, and its runs',
      where: 'the state table',
      count: items.length - pages,
      kept: 'runs 30 days after they end; the state while the entity has data; up to 35 days longer in the backups of the table',
      why: 'status, proof and resumption of runs',
    },
    {
      what: 'Committed pages, with hashes of ids',
      where: 'the state table',
      count: pages,
      kept: '30 days after their commit; up to 35 days longer in the backups of the table',
      why: 'proof and resumption of runs',
    },
    {
      what: 'Responses to requests with an Idempotency-Key, of all entities',
      where: 'the state table',
      count: null,
      kept: '24 hours, usually deleted within 48 hours after that; up to 35 days longer in the backups of the table',
      why: 'a repeated request gets the first response',
    },
    {
      what: 'Logs, without documents',
      where: 'CloudWatch Logs',
      count: null,
      kept: `${days(logRetentionDays)}; the access log of the bucket ${days(accessLogDays(logRetentionDays))}`,
      why: 'investigation of failures',
    },
  ]
}

/** Objects of one owner that stay for the same reasons are one row. */
const groupOf = ({ version, owner, reasons: own }: InventoryEntry): string =>
  [version.key.split('/')[0], owner, ...own.map(({ kind }) => kind)].join(' ')

function rowOf(
  { name, keepSnapshots, changes }: EntitySettings,
  { version: { key }, owner, reasons: own }: InventoryEntry,
  { group, eraseWithinDays }: { readonly group: readonly InventoryEntry[] } & Pick<Limits, 'eraseWithinDays'>,
): KeptData {
  const [next, since] = owners[owner]
  const kinds = own.map(({ kind }) => kind)
  const ends = group.flatMap((entry) => lastEnd(entry.reasons) || [])
  const isLimited = eraseWithinDays !== undefined && since !== undefined && !kinds.includes('published')
  const details: Partial<Record<ReasonKind, string>> = {
    'keep-snapshots': `keepSnapshots: ${JSON.stringify(keepSnapshots)}`,
    ...(changes && {
      listed: `changes.keepDays: ${changes.keepDays}; with increments, the newest ${maxSets}`,
    }),
  }
  const kept = [
    kinds.map((kind) => reasons[kind][0]).join(', and ') || `until the clean-up after the next ${next}`,
    ...(ends.length > 0 ? [`at most until ${formatMinute(new Date(Math.max(...ends)).toISOString())}`] : []),
    ...(isLimited ? [`at most ${days(keptDays(eraseWithinDays))} after ${since}`] : []),
  ]
  const [folder = ''] = key.split('/')
  return {
    what: `${owner.charAt(0).toUpperCase()}${owner.slice(1)}`,
    where: `${folder}/${name}/`,
    count: group.length,
    kept: kept.join('; '),
    why: kinds.map((kind) => details[kind] ?? reasons[kind][1]).join('; ') || 'nothing needs it any more',
  }
}

function days(count: number): string {
  return plural(count, 'day')
}
