import {
  type ChangesLatest,
  changesPrefix,
  type SetManifest,
  type SetSummary,
  setManifestKey,
} from './changes.ts'

export const dayMs = 24 * 60 * 60 * 1000
/** Objects are kept longer than their entry in the list, so that links that were just issued keep working. */
const graceDays = 1

export interface Retention {
  readonly keepDays: number
  readonly now: number
}

/** The chain with one more set. A reset drops the sets before it, which lead to a state that no set continues. */
export function extendChain(
  chain: ChangesLatest | undefined,
  manifest: SetManifest,
  { keepDays, now }: Retention,
): ChangesLatest {
  const oldest = runIdTime(now - keepDays * dayMs)
  const kept = manifest.kind === 'reset' ? [] : (chain?.sets ?? []).filter(({ runId }) => runId >= oldest)
  const sets = [...kept, summaryOf(manifest)]
  return { tip: manifest.runId, sets, announced: false, reset: null, failures: null }
}

/** The chain after a comparison from its tip failed for a reason that lasts. */
export function withFailure(chain: ChangesLatest, now: number): ChangesLatest {
  const last = new Date(now).toISOString()
  const { count, first } = chain.failures ?? { count: 0, first: last }
  return { ...chain, failures: { count: count + 1, first, last } }
}

const maxFailures = 3

/** Whether comparisons from the tip have failed so often and for so long that the chain starts again. */
export function keepsFailing({ failures }: ChangesLatest): boolean {
  if (!failures) return false
  return failures.count >= maxFailures && Date.parse(failures.last) - Date.parse(failures.first) >= dayMs
}

function summaryOf(manifest: SetManifest): SetSummary {
  const { entity, runId, base, kind } = manifest
  const counts = manifest.kind === 'reset' ? { created: 0, updated: 0, deleted: 0 } : manifest
  const { created, updated, deleted } = counts
  const summary = { runId, base, kind, created, updated, deleted, manifest: setManifestKey(entity, runId) }
  const absentSince = manifest.kind === 'changes' ? manifest.absentSince : undefined
  return absentSince === undefined ? summary : { ...summary, absentSince }
}

/** The sets that lead from the state of a run to the tip; undefined if the chain does not lead there from it. */
export function setsSince(chain: ChangesLatest, since: string): readonly SetSummary[] | undefined {
  if (since === chain.tip) return []
  const first = chain.sets.findIndex(({ base }) => base === since)
  return first < 0 ? undefined : chain.sets.slice(first)
}

/** The objects of sets that have expired and of comparisons that were not published. The tip's never expire. */
export function expiredObjects(
  entity: string,
  keys: readonly string[],
  { chain, keepDays, now }: Retention & { readonly chain: ChangesLatest },
): string[] {
  const oldest = runIdTime(now - (keepDays + graceDays) * dayMs)
  const listed = new Set(chain.sets.map(({ runId }) => runId))
  const prefix = changesPrefix(entity)
  return keys.filter((key) => {
    const [run = '', name] = key.slice(prefix.length).split('/')
    return name !== undefined && run < chain.tip && run < oldest && !listed.has(run)
  })
}

/** The prefix of the ids of runs that start at this time. Ids sort by time. */
export function runIdTime(time: number): string {
  return new Date(time).toISOString().replaceAll(/[-:.]/g, '')
}
