import { mayBeCompared } from '../../functions/problems/chain-state.ts'
import { Damaged } from '../../functions/publisher/check/damage.ts'
import { chainSnapshotRun, countsOf } from '../../stored/changes/chain-facts.ts'
import {
  changesLatestKey,
  changesPrefix,
  changesTableKey,
  setManifestKey,
  unpublishedKey,
} from '../../stored/changes/change-keys.ts'
import type { SetManifest } from '../../stored/changes/changes.ts'
import type { ChangesLatest } from '../../stored/changes/changes-latest.ts'
import { type Latest, latestKey, manifestKey, runOfManifestKey } from '../../stored/snapshots/manifest.ts'
import { checkOutcome, expectEqual, jsonIn } from './examination.ts'
import type { VerifiedEntity } from './stored-entity.ts'

/** Checks `snapshots/<entity>/latest.json` against the state table. */
export async function checkLatest(stored: VerifiedEntity): Promise<Latest | undefined> {
  const { entity, examination, recorded, readRuns } = stored
  const key = latestKey(entity)
  const found = await examination.object({
    key,
    ...(recorded && { otherwise: JSON.stringify(recorded) }),
    async check(bytes) {
      const latest = jsonIn<Latest>(bytes, key, ['runId', 'manifest', 'publishedAt', 'documents'])
      const { runId } = latest
      expectEqual([['a pointer', latest.manifest, manifestKey(entity, String(runId))]])
      // A worker may have moved it and not yet recorded it.
      const [run] = recorded && runId > recorded.runId ? await readRuns([runId]) : []
      if (recorded && run?.status !== 'publishing')
        expectEqual(
          (['runId', 'publishedAt', 'documents', 'sha256'] as const).map(
            (name) => [`another ${name} than the state table`, latest[name], recorded[name]] as const,
          ),
        )
      else if (!(await examination.read(latest.manifest)))
        throw new Damaged(`points to ${latest.manifest}, which does not exist`)
      return latest
    },
  })
  if (found && !recorded)
    examination.wrong({ key, problem: `points to run ${found.runId}; the state table has no published run` })
  return found
}

const countsText = (set: Parameters<typeof countsOf>[0]) => JSON.stringify(countsOf(set))

/** Checks that `changes/<entity>/latest.json` exists if it should, and that it lists the sets that lead to the tip. */
export async function checkTip(
  stored: VerifiedEntity,
  sets: ReadonlyMap<string, SetManifest>,
  intact: readonly SetManifest[] = [],
): Promise<ChangesLatest | undefined> {
  const { entity, examination, settings, now, recorded: latest } = stored
  const key = changesLatestKey(entity)
  const isCompared = latest && settings && settings.changes !== false && !mayBeCompared(latest, now)
  const isExpected = sets.size > 0 || (isCompared && !(await examination.read(unpublishedKey(entity))))
  const parts = (await examination.read(changesTableKey(entity)))?.toString() ?? ''
  return examination.object({
    key,
    neededBy: 'change-sets',
    check(bytes) {
      if (!bytes && !isExpected) return undefined
      const chain = jsonIn<ChangesLatest>(bytes, key, ['tip', 'sets'])
      const { tip, reset } = chain
      for (const [index, listed] of chain.sets.entries()) {
        const { runId, base, kind, manifest } = listed
        const set = intact.find((one) => one.runId === runId) ?? listed
        expectEqual([
          [`in its list the manifest of ${runId}`, manifest, setManifestKey(entity, runId)],
          [`in its list the base of ${runId}`, base, index === 0 ? base : chain.sets[index - 1]?.runId],
          [`in its list the base of ${runId}`, base, set.base],
          [`in its list the kind of ${runId}`, kind, set.kind],
          [`in its list the records of ${runId}`, countsText(listed), countsText(set)],
        ])
      }
      expectEqual([['the tip', tip, chain.sets.at(-1)?.runId ?? tip]])
      const { to: end = '9' } = chain.window ?? {}
      if (intact.some((set) => set.kind === 'increment' && set.to > end))
        throw new Damaged('has a window that ended before that of a set')
      if (latest && chainSnapshotRun(chain) > latest.runId)
        throw new Damaged(`leads to ${chainSnapshotRun(chain)}; the published run is ${latest.runId}`)
      const follows = ({ base, runId }: SetManifest) => base === tip && runId > tip
      // Parts are listed after their set.
      const isPublished = ({ parts: own }: SetManifest) => own.some(({ key }) => parts.includes(key))
      const next = [...sets.values()].find((set) => follows(set) && isPublished(set))
      if (next && !reset) throw new Damaged(`does not list ${next.runId}, which continues the tip`)
      return chain
    },
  })
}

/** The sets whose manifests can be read. The others are checked as the chain lists them. */
export async function storedSets(verified: VerifiedEntity): Promise<ReadonlyMap<string, SetManifest>> {
  const { entity, examination, list } = verified
  const sets = new Map<string, SetManifest>()
  for await (const { key } of list(changesPrefix(entity))) {
    if (!key.endsWith('/manifest.json')) continue
    const check = (bytes: Buffer | undefined) => jsonIn<SetManifest>(bytes, key, ['runId', 'base', 'kind'])
    const found = await checkOutcome({ key, check }, await examination.read(key))
    if ('value' in found) sets.set(runOfManifestKey(key), found.value)
  }
  return sets
}
