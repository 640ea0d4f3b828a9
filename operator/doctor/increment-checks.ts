import type { EntityFacts } from '../../functions/problems/facts.ts'
import { plural } from '../../functions/runtime/format.ts'
import { mapPooled } from '../../functions/runtime/map-pooled.ts'
import { chainSnapshotRun } from '../../functions/state/changes/chain-facts.ts'
import { absentIfUnreadable } from '../../functions/state/unreadable-object.ts'
import { openStores } from '../aws/stores.ts'
import { readChangeDates } from './change-dates.ts'
import type { IncrementFact } from './facts.ts'
import { type Checked, note, problem } from './finding.ts'

export const incrementChecks = (facts: readonly IncrementFact[]): Checked[] =>
  facts.flatMap((fact) => [...lostSnapshot(fact), ...missingDates(fact), ...timesWithoutZone(fact)])

/** Readers that follow the chain have its state, but new readers cannot begin. A full sync starts the chain again. */
function lostSnapshot({ entity, lostSnapshot: lost }: IncrementFact): Checked[] {
  if (lost === undefined) return []
  const evidence = `${entity}: new readers of its change sets cannot begin, because the snapshot that they would load (run ${lost}) is gone.`
  const action = 'Sync it: this starts the change sets again.'
  return [problem('changes-without-snapshot', { entity, evidence, action, step: { kind: 'sync', entity } })]
}

/** The platform finds nothing by a field that its documents do not have, and reports no error. */
function missingDates({ entity, dates }: IncrementFact): Checked[] {
  if (!dates || (dates.missing.length === 0 && dates.hasDate)) return []
  const { documents, missing } = dates
  const lacks = missing.length > 0 ? `has ${missing.join(' or ')}` : 'has a date in createdIn or updatedIn'
  const evidence = `${entity}: the last page of the published snapshot has ${plural(documents, 'document')}, but none ${lacks}, so increments cannot find changes.`
  const action = `Check whether the platform has other names for these fields. If it does not store them for this entity, remove increments of ${entity} from the configuration.`
  return [problem('increments-without-dates', { entity, evidence, action })]
}

/** Such times are often local. Increments deliver documents up to two days outside of their window, but audits are off. */
function timesWithoutZone({ entity, dates }: IncrementFact): Checked[] {
  if (!dates || dates.withoutZone.length === 0) return []
  const text = `${entity}: times in ${dates.withoutZone.join(' and ')} name no zone and are read as UTC. If they are local, changes seem to be hours older or newer than they are.`
  return [note('entities', text, `raise lookbackMinutes of ${entity} if changes are missed`)]
}

const maxConcurrentReads = 24

/** Whether documents have the dates by which increments find them, and whether new readers can begin. */
export async function readIncrements(
  bucket: string,
  entities: readonly EntityFacts[],
): Promise<IncrementFact[]> {
  const { snapshots, changes } = openStores(bucket)
  const withIncrements = entities.filter(({ settings }) => settings.increments)
  return mapPooled(withIncrements, maxConcurrentReads, async ({ settings: { name: entity }, state }) => {
    const chain = (await changes.readLatest(entity).catch(absentIfUnreadable))?.value
    const chainSnapshot = chain && chainSnapshotRun(chain)
    const isLost = chainSnapshot && !chain.erased && !(await snapshots.hasManifest(entity, chainSnapshot))
    const manifest =
      state.latest && (await snapshots.readManifest(entity, state.latest.runId).catch(absentIfUnreadable))
    const dates = manifest && (await readChangeDates(manifest, snapshots.readPage))
    return { entity, dates, lostSnapshot: isLost ? chainSnapshot : undefined }
  })
}
