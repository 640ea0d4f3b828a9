import type { ListedObject } from '../../state/objects.aws.ts'
import { runOfTableKey, type TableLatest } from '../../state/tables/table.ts'
import { maxQueryMs } from '../query-time.ts'
import { isRecent } from './dropped-runs.ts'

/** What is stored of an entity's table. */
export interface TableFiles {
  readonly entity: string
  readonly objects: readonly ListedObject[]
  /** Undefined before the first commit. */
  readonly latest: TableLatest | undefined
  /** The runs whose Iceberg snapshots can be read. */
  readonly runs: ReadonlySet<string>
  /** The files that these snapshots consist of, and the metadata files that readers may have begun with. */
  readonly referenced: ReadonlySet<string>
}

/**
 * The objects that no reader can need: a day after the commit that dropped them, or after the last object of an attempt that
 * was not committed. What was dropped is in `latest.json` for a day. After that, only the age of its objects counts.
 */
export function expiredTableObjects(files: TableFiles, now: number): readonly string[] {
  const { entity, objects, latest, runs, referenced } = files
  const dropped = new Set(latest?.dropped.filter((one) => isRecent(one, now)).map(({ runId }) => runId))
  const isOld = ({ writtenAt }: { readonly writtenAt: number }) => writtenAt < now - maxQueryMs
  const byRun = Map.groupBy(objects, ({ key }) => runOfTableKey(entity, key))
  return [...byRun].flatMap(([run, own]) => {
    if (run === undefined || dropped.has(run)) return []
    const expired = runs.has(run) ? own.filter(isOld) : own.every(isOld) ? own : []
    return expired.flatMap(({ key }) => (referenced.has(key) ? [] : [key]))
  })
}
