import type { ListedObject } from '../objects.aws.ts'
import { maxQueryMs } from '../tables/query-time.ts'
import { runOfTableKey, type TableLatest } from '../tables/table.ts'
import { always, type Reason } from './reason.ts'

type TableObject = Pick<ListedObject, 'key' | 'writtenAt'>

/** What is stored of an entity's table. */
export interface TableFacts {
  readonly entity: string
  readonly objects: readonly TableObject[]
  /** Undefined before the first commit. */
  readonly latest: TableLatest | undefined
  /** The runs whose Iceberg snapshots can be read. */
  readonly runs: ReadonlySet<string>
  /** The files that these snapshots consist of, and the metadata files that readers may have begun with. */
  readonly referenced: ReadonlySet<string>
  /** The same of the table as Athena reads it while Glue cannot be updated. */
  readonly inGlue: ReadonlySet<string>
}

/**
 * Why each object of a table stays, by its key. No reader can need what was dropped a day after the commit that dropped
 * it, or after the last object of an attempt that was not committed. What was dropped is in `latest.json` for a day.
 * After that, only the age of its objects counts.
 */
export function tableReasons(
  { entity, objects, latest, runs, referenced, inGlue }: TableFacts,
  now: number,
): ReadonlyMap<string, readonly Reason[]> {
  const droppedAt = new Map(latest?.dropped.map(({ runId, at }) => [runId, Date.parse(at)]))
  const byRun = Map.groupBy(objects, ({ key }) => runOfTableKey(entity, key))
  return new Map<string, readonly Reason[]>(
    [...byRun].flatMap(([run, own]) => {
      const writtenLast = Math.max(...own.map(({ writtenAt }) => writtenAt))
      return own.map(({ key, writtenAt }) => {
        if (run === undefined) return [key, [always('pointer')]] as const
        const since = Math.max(droppedAt.get(run) ?? 0, runs.has(run) ? writtenAt : writtenLast)
        const until = since + maxQueryMs
        const reasons: readonly Reason[] = [
          ...(referenced.has(key) ? [always('table')] : []),
          ...(inGlue.has(key) ? [always('in-glue')] : []),
          ...(until >= now ? [{ kind: 'query' as const, until }] : []),
        ]
        return [key, reasons] as const
      })
    }),
  )
}
