import { dayMs } from '../../../functions/runtime/durations.ts'
import { glueName } from '../../../functions/runtime/settings-schema/glue-names.ts'
import type { TableEvent } from '../../../stored/events.ts'
import { runIn, type TableMetadata } from '../../../stored/iceberg/metadata.ts'
import { manifestKey } from '../../../stored/snapshots/manifest.ts'
import { maxQueryMs } from '../../../stored/tables/query-time.ts'
import { type TableLatest, tableLatestKey, tablePrefix } from '../../../stored/tables/table.ts'
import type { MemoryCatalog } from '../../unit/tables/memory-catalog.ts'
import type { Oracle } from '../oracle/oracle.ts'
import type { StoredObject } from '../stores/memory-s3.ts'
import type { Surroundings } from '../surroundings.ts'
import { expectedRows } from './expected-rows.ts'
import { FieldIds } from './field-ids.ts'
import { readFiles, readMetadata, readRows } from './read-table.ts'

/** A table as its latest.json leads to it. */
interface ReadableTable {
  readonly latest: TableLatest
  readonly metadata: TableMetadata
  /** Of all its Iceberg snapshots, with the metadata. */
  readonly keys: ReadonlySet<string>
}

type Observed = Surroundings & { readonly oracle: Oracle }

/** Observes the files of typed tables from outside, as readers without a catalog see them. */
export class TableOracle {
  readonly #sim: Observed
  readonly #catalog: MemoryCatalog
  readonly #tables = new Map<string, ReadableTable>()
  readonly #fieldIds = new Map<string, FieldIds>()
  /** When commits dropped files that queries may still read. */
  readonly #dropped = new Map<string, number>()
  readonly #committed = new Map<string, TableLatest>()
  readonly #announced = new Set<string>()
  readonly #removedAt = new Map<string, number>()
  /** Manifest lists of commits that came after the removal of their files. */
  readonly #lost = new Set<string>()

  constructor(sim: Observed, catalog: MemoryCatalog) {
    this.#sim = sim
    this.#catalog = catalog
    const { s3 } = sim
    const { onWrite } = s3
    s3.onWrite = (key, change) => {
      onWrite?.(key, change)
      if (key.startsWith('iceberg/')) this.#written(key, change)
    }
  }

  /** Checks an event as subscribers receive it. */
  announced(event: TableEvent): void {
    this.#sim.count(`event: ${event.type}`)
    if (event.type !== 'Table Published') return
    const { entity, runId, rows, rejected, metadata } = event.detail
    const latest = this.#committed.get(metadata)
    const reported = JSON.stringify([runId, rows, rejected])
    if (!latest || reported !== JSON.stringify([latest.runId, latest.rows, latest.rejected]))
      this.#sim.oracle.violation(
        'typed-table-whole',
        `the event of ${entity} reports ${reported} for ${metadata}`,
      )
    this.#announced.add(metadata)
  }

  /** All faults have ended, and the last run has published. */
  checkRecovered(entity: string): void {
    const settings = this.#sim.scenario.entities.find(({ name }) => name === entity)
    const published = this.#sim.oracle.published(entity).at(-1)?.latest.runId
    const last = this.#sim.oracle.runs(entity).toSorted((one, other) => (one.runId < other.runId ? 1 : -1))[0]
    if (last?.status !== 'published') return
    const glue = this.#catalog.tables.get(glueName(entity))?.parameters['metadata_location']
    const table = this.#tables.get(entity)
    const lacks = (what: string) =>
      this.#sim.oracle.violation('typed-table-recovers', `${entity}, published ${published}: ${what}`)
    if (!settings?.columns) {
      if (table || glue) lacks('the table is still there')
      return
    }
    if (!table || table.latest.runId !== published) {
      lacks(`the table is of ${table?.latest.runId}`)
      return
    }
    if (glue !== `s3://snapshots/${table.latest.metadata}`) lacks(`Glue leads to ${glue}`)
    if (!this.#announced.has(table.latest.metadata)) lacks('its event was not sent')
    this.#checkKept(entity, settings.keepSnapshots as number)
  }

  /** A day after the last commit, a task without faults has cleaned up. */
  checkCleanedUp(entity: string): void {
    const { s3, scheduler, oracle } = this.#sim
    const table = this.#tables.get(entity)
    const replaced = table?.metadata['metadata-log'].map((one) => one['metadata-file']) ?? []
    const left = [...s3.objects].find(([key, { writtenAt }]) => {
      // Next to latest.json, only the last failure is stored.
      if (!key.startsWith(tablePrefix(entity)) || key.split('/').length < 4) return false
      const isOld = (writtenAt?.getTime() ?? 0) < scheduler.now() - maxQueryMs
      return isOld && !table?.keys.has(key) && !replaced.includes(`s3://snapshots/${key}`)
    })
    if (left) oracle.violation('typed-table-cleaned', `${left[0]} is left`)
  }

  #written(
    key: string,
    { before, after }: { before: StoredObject | undefined; after: StoredObject | undefined },
  ): void {
    const [, entity = ''] = key.split('/')
    if (key !== tableLatestKey(entity)) {
      if (!after && before) this.#deleted(entity, key)
    } else if (after) this.#moves(entity, JSON.parse(after.body.toString()) as TableLatest)
    else this.#removed(entity)
  }

  #moves(entity: string, latest: TableLatest): void {
    const { oracle, s3, scheduler } = this.#sim
    const before = this.#tables.get(entity)
    if (before && before.latest.runId > latest.runId)
      oracle.violation(
        'typed-table-forward',
        `${entity} moves from ${before.latest.runId} to ${latest.runId}`,
      )
    if (before?.latest.metadata === latest.metadata) return
    try {
      const isLate = this.#comesAfterRemoval(entity)
      if (isLate && !s3.objects.has(latest.metadata)) return
      const metadata = readMetadata(s3, latest.metadata)
      if (isLate) {
        for (const snapshot of metadata.snapshots) this.#lost.add(snapshot['manifest-list'])
        return
      }
      const snapshots = metadata.snapshots.filter((one) => !this.#lost.has(one['manifest-list']))
      const files = snapshots.map((snapshot) => readFiles(s3, snapshot))
      const [parent, last] = snapshots.slice(-2)
      if (parent && last?.['parent-snapshot-id'] === parent['snapshot-id'])
        this.#checkDeleted(files.at(-2)?.dataFiles ?? [], files.at(-1)?.deleted ?? [], latest.metadata)
      const keys = new Set([latest.metadata, ...files.flatMap((one) => one.keys)])
      for (const key of before?.keys ?? []) if (!keys.has(key)) this.#dropped.set(key, scheduler.now())
      this.#tables.set(entity, { latest, metadata, keys })
      this.#committed.set(latest.metadata, latest)
      this.#checkCommit(entity, { latest, metadata, dataFiles: files.at(-1)?.dataFiles ?? [] })
      if (before) this.#checkPrevious(before, metadata)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      oracle.violation('typed-table-whole', `${entity} cannot be read at ${latest.metadata}: ${reason}`)
    }
  }

  /** A publication replaces all rows, so it deletes every file of the previous one. */
  #checkDeleted(before: readonly string[], deleted: readonly string[], metadata: string): void {
    this.#sim.count('table with deleted files committed')
    const [found, expected] = [deleted, before].map((files) => files.toSorted().join(', '))
    if (found !== expected)
      this.#sim.oracle.violation('typed-table-whole', `${metadata} deletes ${found}, not ${expected}`)
  }

  /**
   * An invocation of a deployment with columns commits while one without them removes the table. No condition of S3
   * prevents that: the next publication removes the table, or replaces it.
   */
  #comesAfterRemoval(entity: string): boolean {
    const { actor } = this.#sim.oracle
    const isLate = actor !== undefined && actor.startedAt <= (this.#removedAt.get(entity) ?? 0)
    if (isLate) this.#sim.count('table committed after its removal')
    return isLate
  }

  #checkCommit(
    entity: string,
    table: Pick<ReadableTable, 'latest' | 'metadata'> & { readonly dataFiles: readonly string[] },
  ): void {
    const { oracle, scheduler, s3, scenario } = this.#sim
    const { latest, metadata, dataFiles } = table
    const current = metadata.snapshots.at(-1)
    const published = oracle.published(entity).find((one) => one.latest.runId === latest.runId)
    const reported = JSON.stringify([current && runIn(current), metadata['current-snapshot-id'], latest.rows])
    const { uniqueIds } = published?.manifest ?? {}
    if (reported !== JSON.stringify([latest.runId, current?.['snapshot-id'], uniqueIds]))
      oracle.violation('typed-table-whole', `${latest.metadata}: ${reported}, and ${uniqueIds} unique ids`)
    const ids = this.#fieldIds.get(entity) ?? new FieldIds()
    this.#fieldIds.set(entity, ids)
    const misused = ids.committed(latest.columns)
    if (misused) oracle.violation('typed-table-ids', `${latest.metadata}: ${misused}`)
    this.#sim.count(`table of ${dataFiles.length} files committed`)
    if (!published) return
    const expected = expectedRows(published, latest.columns, scenario.platform.rendering)
    const check = async () => {
      const rows = await readRows(s3, dataFiles, latest.columns)
      const wrong = [...rows.keys(), rows.length].find((at) => rows[at] !== expected[at])
      if (wrong !== undefined)
        oracle.violation('typed-table-whole', `row ${wrong} is ${rows[wrong]}, not ${expected[wrong]}`)
    }
    scheduler.external(check())
  }

  /** Readers of the previous table can travel to it. */
  #checkPrevious(before: ReadableTable, metadata: TableMetadata): void {
    const { runId } = before.latest
    if (before.metadata.snapshots.length > 0 && !metadata.snapshots.some((one) => runIn(one) === runId))
      this.#sim.oracle.violation('typed-table-kept', `the commit drops the previous table, of ${runId}`)
  }

  /** The Iceberg snapshots of the kept snapshots and of the previous table, and no others. */
  #checkKept(entity: string, keepSnapshots: number): void {
    const { oracle, s3 } = this.#sim
    const runs = this.#tables.get(entity)?.metadata.snapshots.map(runIn) ?? []
    const known = oracle.published(entity).map(({ latest }) => latest.runId)
    const kept = known.slice(-Math.max(2, keepSnapshots))
    const extra = runs.slice(0, -2).find((run) => !s3.objects.has(manifestKey(entity, run)))
    if (extra) oracle.violation('typed-table-kept', `${entity} still has ${extra} (kept: ${kept.join(', ')})`)
  }

  #deleted(entity: string, key: string): void {
    const { oracle, scheduler } = this.#sim
    const droppedAt = this.#dropped.get(key)
    const isRead = this.#tables.get(entity)?.keys.has(key)
    const settings = oracle.actor?.deployed.entities.find(({ name }) => name === entity)
    if (!settings?.columns && !key.startsWith(`${tablePrefix(entity)}work/`))
      this.#removedAt.set(entity, scheduler.now())
    if (isRead) oracle.violation('typed-table-kept', `${key} was deleted, which the table needs`)
    else if (droppedAt !== undefined && scheduler.now() - droppedAt < dayMs)
      oracle.violation('typed-table-kept', `${key} was deleted soon after the commit that dropped it`)
  }

  /** The next table begins again. */
  #removed(entity: string): void {
    const settings = this.#sim.oracle.actor?.deployed.entities.find(({ name }) => name === entity)
    if (settings?.columns)
      this.#sim.oracle.violation('typed-table-kept', `the table of ${entity} was removed`)
    for (const key of this.#tables.get(entity)?.keys ?? []) this.#dropped.delete(key)
    this.#tables.delete(entity)
    this.#fieldIds.delete(entity)
    this.#dropped.clear()
    this.#removedAt.set(entity, this.#sim.scheduler.now())
    this.#sim.count('table removed')
  }
}
