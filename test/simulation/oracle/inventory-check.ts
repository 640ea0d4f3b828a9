import type { SetManifest } from '../../../stored/changes/changes.ts'
import { type InventoryEntry, inventoryOf } from '../../../stored/inventory/inventory.ts'
import type { ReasonKind } from '../../../stored/inventory/reason.ts'
import { placeOf, type StoredEntity } from '../../../stored/inventory/stored-entity.ts'
import { hasEnded, type Run } from '../../../stored/run/run.ts'
import type { Manifest } from '../../../stored/snapshots/manifest.ts'
import type { Scenario } from '../scenario.ts'
import type { Observed } from './observed.ts'

const endedAt = new Date(0).toISOString()

/** What a clean-up decides by the time may be decided a little later than its invocation began. */
const timed: ReadonlySet<ReasonKind> = new Set(['comparison', 'links', 'refused'])

/** Compares what is deleted with the inventory of that moment: clean-ups delete nothing that stays for a reason. */
export class InventoryCheck {
  readonly #observed: Observed
  /** By key, as of the beginning of a batch of deletions. */
  #reasons = new Map<string, readonly ReasonKind[]>()
  #batch = ''
  #found: string | undefined

  constructor(observed: Observed) {
    this.#observed = observed
  }

  deleted(entity: string, key: string): void {
    const { acting, sim } = this.#observed
    const settings = acting?.deployed.entities.find(({ name }) => name === entity)
    // Erasure has its own limits. Who was frozen may have read a state that has changed since.
    if (!acting || !settings || acting.by === 'erase' || acting.wasFrozen) return
    const batch = `${acting.id} ${entity} ${sim.scheduler.now()}`
    if (batch !== this.#batch) {
      this.#batch = batch
      this.#reasons = new Map(
        inventoryNow(this.#observed, settings).map(({ version, reasons }) => [
          version.key,
          reasons.map(({ kind }) => kind).filter((kind) => !timed.has(kind)),
        ]),
      )
    }
    const reasons = this.#reasons.get(key) ?? []
    if (reasons.length > 0) this.#found ??= `${key} was deleted, which stays as ${reasons.join(', ')}`
  }

  /** Last: what other checks report about a deletion says more. */
  checkAtRest(): void {
    if (this.#found !== undefined) this.#observed.violation('pages-whole', this.#found)
  }
}

/** The inventory of what the bucket has of an entity now, without its table. */
function inventoryNow(observed: Observed, settings: Scenario['entities'][number]): InventoryEntry[] {
  const { sim } = observed
  const { name: entity } = settings
  const { objects } = sim.s3
  const read = <T>(key: string) => {
    const body = objects.get(key)?.body
    return body && (JSON.parse(body.toString()) as T)
  }
  const keys = [...objects.keys()].filter(
    (key) => /^(?:snapshots|changes)\/([^/]+)/.exec(key)?.[1] === entity,
  )
  const runsIn = (folder: string) => [
    ...new Set(keys.filter((key) => key.startsWith(folder)).map((key) => placeOf(entity, key).runId)),
  ]
  const manifests = <T>(folder: string, name: string) =>
    runsIn(folder).flatMap((run) => {
      const found = read<T>(`${folder}/${entity}/${run}/${name}.json`)
      return found ? [[run, found] as const] : []
    })
  const chain = read<never>(`changes/${entity}/latest.json`)
  const stored: StoredEntity = {
    entity,
    versions: keys.map((key) => ({ key, versionId: 'null', isLatest: true, writtenAt: 0 })),
    latest: read(`snapshots/${entity}/latest.json`),
    snapshots: new Map(
      (['refused', 'snapshot'] as const).flatMap((kind) =>
        manifests<Manifest>('snapshots', kind === 'refused' ? kind : 'manifest').map(
          ([run, manifest]) => [run, { kind, manifest }] as const,
        ),
      ),
    ),
    chain: chain && { value: chain, etag: '' },
    sets: new Map(manifests<SetManifest>('changes', 'manifest')),
    refusedSets: new Map(manifests('changes', 'refused')),
    tableMetadata: undefined,
  }
  // A run cleans up before it records how it has ended.
  const endOf = (run: Run) => {
    if (run.runId === stored.latest?.runId) return { status: 'published', endedAt }
    const isRefused = !hasEnded(run) && stored.snapshots.get(run.runId)?.kind === 'refused'
    return isRefused && { status: 'refused', endedAt }
  }
  const runs = new Map(observed.runs(entity).map((run) => [run.runId, { ...run, ...endOf(run) } as Run]))
  return inventoryOf(stored, { settings, runs, table: undefined, now: sim.scheduler.now() })
}
