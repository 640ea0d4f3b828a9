import type { EntitySettings } from '../../functions/runtime/settings.ts'
import { accessLogDays, oldVersionDays } from '../../functions/runtime/settings-schema/bucket-retention.ts'
import { keptDays } from '../../functions/runtime/settings-schema/erasure-days.ts'
import type { Configuration } from '../../lib/config.ts'

/** Something that is kept of an entity. */
export interface KeptData {
  readonly what: string
  /** A prefix in the bucket, or the place outside of it. */
  readonly where: string
  readonly kept: string
  readonly why: string
}

/** What is kept of an entity, for how long and why. The newest data first, copies and traces of it last. */
export function retentionOf(
  entity: EntitySettings,
  { eraseWithinDays, logRetentionDays }: Pick<Configuration, 'eraseWithinDays' | 'logRetentionDays'>,
): KeptData[] {
  const limit = eraseWithinDays === undefined ? '' : `; at most ${days(keptDays(eraseWithinDays))} after`
  const after = (event: string) => (limit === '' ? '' : `${limit} ${event}`)
  const snapshots = `snapshots/${entity.name}/`
  return [
    {
      what: 'Published snapshot',
      where: snapshots,
      kept: 'until a newer one is published',
      why: 'readers rely on it',
    },
    {
      what: 'Previous snapshot',
      where: snapshots,
      kept: `until the next publication${after('it was replaced')}`,
      why: 'readers may still be reading it',
    },
    {
      what: 'Older snapshots',
      where: snapshots,
      ...olderSnapshots(entity, after),
    },
    {
      what: 'Pages of runs that did not publish',
      where: snapshots,
      kept: `until the next publication${after('their run')}`,
      why: 'clean-up follows a publication',
    },
    ...changesOf(entity, after),
    {
      what: 'Deleted and overwritten objects',
      where: 'the bucket, as old versions',
      kept: `${days(oldVersionDays)}${eraseWithinDays === undefined ? '' : '; never past the limit for the object itself'}`,
      why: 'an object that was deleted by mistake can be restored',
    },
    {
      what: 'Runs, with hashes of ids',
      where: 'the state table',
      kept: '30 days after the run; up to 35 days longer in the backups of the table',
      why: 'status, proof and resumption of runs',
    },
    {
      what: 'Logs, without documents',
      where: 'CloudWatch Logs',
      kept: `${days(logRetentionDays)}; the access log of the bucket ${days(accessLogDays(logRetentionDays))}`,
      why: 'investigation of failures',
    },
  ]
}

function olderSnapshots(
  { keepSnapshots }: EntitySettings,
  after: (event: string) => string,
): Pick<KeptData, 'kept' | 'why'> {
  if (typeof keepSnapshots === 'number') {
    const kept =
      keepSnapshots > 2 ? `the newest ${keepSnapshots}, counting these two${after('their run')}` : 'none'
    return { kept, why: `keepSnapshots: ${keepSnapshots}` }
  }
  const { last, daily } = keepSnapshots
  const newest = last > 2 ? `the newest ${last}, counting these two, and ` : ''
  return {
    kept: `${newest}the last one of each of ${days(daily)} (UTC)${after('their run')}`,
    why: `keepSnapshots: { last: ${last}, daily: ${daily} }`,
  }
}

function changesOf({ name, changes }: EntitySettings, after: (event: string) => string): KeptData[] {
  if (changes === false) return []
  const where = `changes/${name}/`
  return [
    {
      what: 'Snapshot of the last change set',
      where: `snapshots/${name}/`,
      kept: `until the next change set${after('its run, or after it was replaced')}`,
      why: 'the next comparison starts from it',
    },
    {
      what: 'Change sets',
      where,
      kept: `${days(changes.keepDays)}, then one more day for issued links${after('their oldest content was last published')}`,
      why: `changes.keepDays: ${changes.keepDays}`,
    },
    {
      what: 'Withheld documents',
      where,
      kept: `until they reappear or their deletion is proven${after('they were last published')}`,
      why: 'an unproven absence is not a deletion',
    },
  ]
}

const days = (count: number) => (count === 1 ? '1 day' : `${count} days`)
