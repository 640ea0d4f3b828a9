import { chainSnapshotRun } from '../../stored/changes/chain-facts.ts'
import { type Manifest, runOfManifestKey, tableKey, tableOf } from '../../stored/snapshots/manifest.ts'
import type { UnreadableObject } from '../../stored/unreadable-object.ts'
import { checkList, checkParts, checkSetManifests } from './chain.ts'
import { type Damage, Examination } from './examination.ts'
import { checkLatest, checkTip, storedSets } from './pointers.ts'
import { type Repair, type RepairContext, repairObject } from './repair.ts'
import { checkReviews, checkSets } from './sets.ts'
import { checkSnapshots } from './snapshots.ts'
import type { VerifiedEntity } from './stored-entity.ts'
import { checkStoredTable } from './table.ts'

/** An object that is not what it must be. */
export interface Mismatch extends Pick<Damage, 'key' | 'problem'> {
  /** Whether an older version of a damaged or missing object is intact; absent if no version can help. */
  readonly repair?: Repair
  /** Absent of the published snapshot, which needs a new snapshot unless it is restored. */
  readonly neededBy?: NonNullable<Damage['neededBy']>
}

/** Nothing restores it, and no reader needs it. */
export const isLost = ({ neededBy, repair }: Mismatch): boolean =>
  neededBy === 'other-snapshots' && repair === 'impossible'

export interface Verified {
  readonly entity: string
  readonly runId: string
  readonly documents: number
  readonly uniqueIds: number
  readonly pages: number
  /** Objects that change sets need in addition to the pages. */
  readonly chainObjects: number
  /** Snapshots that are kept besides the published one, also those that were refused. */
  readonly otherSnapshots: number
  /** Data files of the typed table. */
  readonly tableFiles: number
  readonly mismatches: readonly Mismatch[]
  readonly repair: boolean
  /** Keys of objects of which an older, intact version is the current one again. */
  readonly restored: readonly string[]
}

type Counts = Pick<
  Verified,
  'runId' | 'documents' | 'uniqueIds' | 'pages' | 'chainObjects' | 'otherSnapshots' | 'tableFiles'
>

/** What is read and restored. */
export interface Verifying extends RepairContext, Omit<VerifiedEntity, 'examination' | 'onRead'> {
  readonly read: Examination['read']
  readonly onRead: VerifiedEntity['onRead']
}

/** Each repair may show what else is damaged. */
const maxRepairs = 10

/** Undefined if nothing was ever published. Throws `UnreadableObject` if a repair is wanted and no version can be read. */
export async function verifyStored(verifying: Verifying, repair: boolean): Promise<Verified | undefined> {
  const restored: string[] = []
  for (let repairs = 0; ; repairs++) {
    const examination = new Examination(verifying.read)
    const counts = await examine({ ...verifying, examination })
    if (!counts) return undefined
    const mismatches: Mismatch[] = []
    const before = restored.length
    let unreadable: UnreadableObject | undefined
    for (const damage of examination.damages) {
      const { key, problem, neededBy } = damage
      const isWanted = repair && repairs < maxRepairs && !restored.includes(key)
      const outcome = await repairObject(verifying, damage, isWanted)
      if (outcome === 'restored') restored.push(key)
      if (repair && outcome === 'impossible' && damage.unreadable) unreadable = damage.unreadable
      mismatches.push({ key, problem, ...(outcome && { repair: outcome }), ...(neededBy && { neededBy }) })
    }
    // Nothing is written over it, so that no sync helps.
    if (restored.length === before && unreadable) throw unreadable
    if (restored.length === before)
      return { entity: verifying.entity, ...counts, mismatches, repair, restored }
  }
}

async function examine(stored: VerifiedEntity): Promise<Counts | undefined> {
  const { entity, bucket, examination, recorded } = stored
  const latest = await checkLatest(stored)
  const runId = latest?.runId ?? recorded?.runId
  if (runId === undefined && !(await examination.read(`snapshots/${entity}/latest.json`))) return undefined
  const manifests = await storedSets(stored)
  const chain = await checkTip(stored, manifests)
  // The next set starts a chain that was reset again.
  const sets = chain && !chain.reset ? await checkSetManifests(stored, chain, manifests) : []
  const intact = sets.map(({ set }) => set)
  const isListed = sets.length === 0 || (await checkTip(stored, manifests, intact)) !== undefined
  const hashes = new Map<string, string[]>()
  const name = (run: string, sha256: string | undefined) => {
    if (sha256 !== undefined) hashes.set(run, [...(hashes.get(run) ?? []), sha256])
  }
  name(runId ?? '', (latest ?? recorded)?.sha256)
  for (const { set } of sets) name(runOfManifestKey(set.snapshot), set.snapshotSha256)
  const ofChain = chain && !chain.reset ? chainSnapshotRun(chain) : undefined
  const snapshots = await checkSnapshots(stored, { published: runId, ofChain, hashes })
  const published = snapshots.get(runId ?? '')
  if (published)
    await checkList(examination, { key: tableKey(entity), expected: tableOf(bucket, published.manifest) })
  if (chain && !chain.reset && isListed) await checkParts(stored, chain, sets)
  const toCheck = { checked: sets, snapshots }
  const chainObjects = chain && !chain.reset ? await checkSets(stored, chain, toCheck) : 0
  await checkReviews(stored)
  const columns = stored.settings?.columns
  const table = columns && recorded && { ...stored, columns, published: recorded, snapshots }
  const tableFiles = table ? await checkStoredTable(table) : 0
  return {
    runId: runId ?? '',
    ...countsOf(published?.manifest),
    chainObjects,
    otherSnapshots: snapshots.size - (published ? 1 : 0),
    tableFiles,
  }
}

const countsOf = (manifest: Manifest | undefined) => ({
  documents: manifest?.documents ?? 0,
  uniqueIds: manifest?.uniqueIds ?? 0,
  pages: manifest?.pages.length ?? 0,
})
