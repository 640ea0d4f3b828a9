import {
  changesLatestKey,
  changesTableKey,
  runIdTime,
  setManifestKey,
  setPrefix,
} from '../stored/changes/change-keys.ts'
import type { ChangesLatest } from '../stored/changes/changes-latest.ts'
import type { ObjectVersion } from '../stored/object-versions.aws.ts'
import { type Latest, latestKey, manifestKey, runPrefix } from '../stored/snapshots/manifest.ts'
import { bucket } from './names.ts'

/** An entity that is synced every six hours, and the objects that the daily task finds of it. */
export interface OldEntity {
  readonly name: string
  /** Minutes between increments; 0 without any. */
  readonly incrementMinutes: number
}

const minuteMs = 60_000
const dayMs = 1440 * minuteMs
const fullMinutes = 360
/** As `keepSnapshots`, and the snapshots whose old versions are in the bucket for a week. */
const kept = 7
const deleted = 28
const pages = 10
/** As `changes.keepDays` with `eraseWithinDays: 30`, and the sets that a chain with increments lists. */
const keepDays = 27
const maxSets = 300

type Found = Omit<ObjectVersion, 'versionId'>

const runAt = (time: number) => `${runIdTime(time)}-0123456789ab`
const runsOf = (count: number, minutes: number, now: number) =>
  Array.from({ length: count }, (_, index) => runAt(now - (count - index) * minutes * minuteMs))

const snapshotRuns = (now: number) => runsOf(kept + deleted, fullMinutes, now)
const minutesOf = ({ incrementMinutes }: OldEntity) => incrementMinutes || fullMinutes

/** The sets of the chain, oldest first. */
const setRuns = (entity: OldEntity, now: number) =>
  runsOf(
    Math.min((keepDays * dayMs) / minuteMs / minutesOf(entity), entity.incrementMinutes ? maxSets : Infinity),
    minutesOf(entity),
    now,
  )

/** Those that left it since yesterday: the task deletes their objects. */
function unlistedRuns(entity: OldEntity, now: number): string[] {
  const listed = setRuns(entity, now)
  const aDay = 1440 / minutesOf(entity)
  return runsOf(listed.length + aDay, minutesOf(entity), now).slice(0, aDay)
}

const partsOf = (entity: OldEntity, run: string) =>
  (entity.incrementMinutes ? ['records', 'delivered'] : ['records', 'withheld']).map(
    (kind) => `${setPrefix(entity.name, run)}${kind}-0123456789abcdef0123456789abcdef.ndjson.gz`,
  )

const pageKeys = (entity: OldEntity, run: string) =>
  Array.from(
    { length: pages },
    (_, page) => `${runPrefix(entity.name, run)}a1-p${100_000 + page}-0123456789ab.ndjson.gz`,
  )

const writtenAt = (run: string) =>
  Date.parse(run.replace(/^(....)(..)(..)T(..)(..)(..).*/, '$1-$2-$3T$4:$5:$6Z'))

/** Every version, in the order of the keys. */
export function versionsOf(entity: OldEntity, now: number): Found[] {
  const { name } = entity
  const found: Found[] = []
  const add = (run: string, keys: readonly string[], isLatest: boolean) => {
    for (const key of keys) found.push({ key, isLatest, writtenAt: writtenAt(run) })
  }
  for (const run of [...unlistedRuns(entity, now), ...setRuns(entity, now)])
    add(run, [setManifestKey(name, run), ...partsOf(entity, run)], true)
  // Versions are kept for a week after they are replaced.
  for (let count = 0; count < (7 * 1440) / minutesOf(entity); count++)
    add(runAt(now), [changesLatestKey(name)], count === 0)
  for (const [index, run] of snapshotRuns(now).entries())
    add(run, [...pageKeys(entity, run), manifestKey(name, run)], index >= deleted)
  add(runAt(now), [latestKey(name)], true)
  return found
}

/** How many versions the task deletes at a time: unlisted sets, and what listed increments delivered a day before. */
export function erasable(entity: OldEntity, now: number, time: number): number {
  const listed = entity.incrementMinutes ? setRuns(entity, now) : []
  const old = listed.filter((run) => run <= runAt(time - dayMs))
  return unlistedRuns(entity, now).length * 3 + old.length
}

/** The content of an object that the task reads. */
export function contentOf(entity: OldEntity, key: string, now: number): string | undefined {
  const { name } = entity
  const [, , run = ''] = key.split('/')
  if (key === changesTableKey(name))
    return setRuns(entity, now)
      .map((each) => `s3://${bucket}/${partsOf(entity, each)[0]}\n`)
      .join('')
  const content =
    key === latestKey(name)
      ? latestOf(entity, now)
      : key === manifestKey(name, run)
        ? {
            version: 1,
            entity: name,
            runId: run,
            pages: pageKeys(entity, run).map((page) => ({ key: page })),
          }
        : key === changesLatestKey(name)
          ? chainOf(entity, now)
          : key === setManifestKey(name, run)
            ? setOf(entity, run)
            : undefined
  return content && JSON.stringify(content)
}

function latestOf({ name }: OldEntity, now: number): Latest {
  const runId = snapshotRuns(now).at(-1) ?? ''
  const publishedAt = new Date(now).toISOString()
  return { runId, manifest: manifestKey(name, runId), publishedAt, documents: pages * 1000 }
}

const stored = { bytes: 1000, sha256: '0'.repeat(64) }

/** The members of a manifest that the task reads. */
function setOf(entity: OldEntity, runId: string): object {
  const [records = '', other = ''] = partsOf(entity, runId)
  const part = (key: string) => ({ key, records: 10, ...stored })
  const set = { version: 1, entity: entity.name, runId, parts: [part(records)] }
  const incrementParts = Array.from({ length: 20 }, () => part(records))
  return entity.incrementMinutes
    ? { ...set, kind: 'increment', withheldParts: [], incrementParts }
    : { ...set, kind: 'changes', absentSince: runId, withheldParts: [part(other)], withheldSince: runId }
}

function chainOf(entity: OldEntity, now: number): ChangesLatest {
  const runs = setRuns(entity, now)
  const [, other = ''] = partsOf(entity, runs.at(-1) ?? '')
  return {
    tip: runs.at(-1) ?? '',
    sets: runs.map((runId, index) => ({
      runId,
      base: runs[index - 1] ?? '',
      kind: entity.incrementMinutes ? 'increment' : 'changes',
      records: 10,
      created: 3,
      updated: 4,
      deleted: 3,
      manifest: setManifestKey(entity.name, runId),
      absentSince: runId,
    })),
    announced: true,
    reset: null,
    failures: null,
    delivered: { key: other, versions: 10, ...stored },
  }
}
