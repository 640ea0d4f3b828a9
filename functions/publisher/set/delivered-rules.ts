import { hash } from 'node:crypto'
import { chainSnapshotRun, incrementPartsOf } from '../../../stored/changes/chain-facts.ts'
import { isCompactedPart, runOfPart, setManifestKey, setPrefix } from '../../../stored/changes/change-keys.ts'
import type { DeliveredVersions, SetManifest } from '../../../stored/changes/changes.ts'
import { Damaged } from '../check/damage.ts'
import { checkObject, expectNumber } from '../check/page.ts'
import { protectedAfter } from '../check/set/dates.ts'
import { deliveredAtOf, type Versions } from '../check/set/record-entries.ts'
import { gunzip } from '../check/stored-lines.ts'
import { readSeveral } from '../chunks.ts'
import type { Checker } from '../ports.ts'
import { readVersioned } from '../read-stored.ts'
import type { ChangesToCheck } from './changes-to-check.ts'
import { named, ownPart } from './stored-documents.ts'

export type DeliveredRules = NonNullable<Awaited<ReturnType<typeof readDeliveredRules>>>

const hourUs = 3_600_000_000

/** What concerns the documents that increments delivered, with times in microseconds; undefined if there are none. */
export async function readDeliveredRules(
  publisher: Checker,
  { tip: { chain, set }, target, rules }: ChangesToCheck,
) {
  const lookbackMinutes = rules.increments?.lookbackMinutes ?? 0
  const { window, delivered, deliveredBefore } = chain
  if (!window) return undefined
  const versions = await readVersions(publisher, delivered)
  const before: Versions =
    deliveredBefore?.key === delivered?.key ? new Map() : await readVersions(publisher, deliveredBefore)
  const isRepublished = target.republishedFrom !== undefined
  const after = isRepublished ? Number.POSITIVE_INFINITY : protectedAfter(target.openedAt, lookbackMinutes)
  const isComplete = versions.size === (delivered?.versions ?? 0)
  const forgottenUntil = isComplete ? protectedAfter(window.to, lookbackMinutes) : Number.POSITIVE_INFINITY
  const parts = incrementPartsOf(set).map(({ key }) => key)
  const runs = [...new Set(parts.map(runOfPart))]
  const readEnd = async (runId: string) => {
    const manifest = (await readVersioned<SetManifest>(publisher, setManifestKey(set.entity, runId)))?.value
    return manifest?.kind === 'increment'
      ? Date.parse(manifest.to) * 1000
      : Math.min(forgottenUntil, runTime(runId) * 1000 + hourUs)
  }
  const ends = await Array.fromAsync(readSeveral(runs, readEnd))
  const windowEnds = new Map(
    parts.map((key) => {
      const end = ends[runs.indexOf(runOfPart(key))] ?? forgottenUntil
      return [key, isCompactedPart(key) ? Math.min(end, forgottenUntil) : end]
    }),
  )
  const covered = { from: Date.parse(window.coveredFrom) * 1000, to: Date.parse(window.to) * 1000 }
  return {
    /** What a window delivered that ended later is protected from the snapshot. */
    protectedAfter: after,
    lookbackMinutes,
    covered: isRepublished || window.snapshot !== chainSnapshotRun(chain) ? undefined : covered,
    /** Of the chain, and those that earlier windows delivered and this snapshot may lack. */
    versions,
    before: new Map([...before].filter(([, version]) => deliveredAtOf(version) > after)),
    /** The end of the window that delivered the documents of each part of increments. */
    windowEnds,
    /** Whether the versions of a part whose window ended then are not remembered and may be protected. */
    isForgotten: (windowEnd: number) => windowEnd > after && windowEnd <= forgottenUntil,
  }
}

/** When a run began by its id, in epoch milliseconds. */
export const runTime = (runId: string): number =>
  Date.parse(runId.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z.*$/, '$1-$2-$3T$4:$5:$6.$7Z'))

const versionBytes = 48
const idBytes = 16

/** The delivered versions of a chain. None if their object is gone: then the lookback is delivered again. */
export async function readVersions(
  publisher: Checker,
  delivered: DeliveredVersions | undefined,
): Promise<Versions> {
  const stored = delivered && (await publisher.objects.read(delivered.key))
  return stored && hash('sha256', stored.bytes) === delivered.sha256 ? versionsIn(stored.bytes) : new Map()
}

function versionsIn(object: Buffer): Versions {
  const bytes = gunzip(object)
  const versions = new Map<string, string>()
  for (let at = 0; at + versionBytes <= bytes.length; at += versionBytes)
    versions.set(
      bytes.toString('latin1', at, at + idBytes),
      bytes.toString('latin1', at + idBytes, at + versionBytes),
    )
  return versions
}

/** Compares the versions that a set carries on with those that it must. Without an object they are those of the chain. */
export async function checkVersions(
  publisher: Checker,
  { tip, target, proposal: { delivered } }: ChangesToCheck,
  { known = new Map(), after }: { readonly known: Versions | undefined; readonly after: Versions },
): Promise<void> {
  const proposed = delivered && ownPart(delivered, setPrefix(target.entity, target.runId))
  // What the chain names may be gone.
  if (!proposed && known.size !== (tip.chain.delivered?.versions ?? 0)) return
  const found = proposed ? await readProposedVersions(publisher, proposed) : known
  const differing = [...after].filter(([id, version]) => found.get(id) !== version).length
  if (found.size !== after.size || differing > 0)
    throw new Damaged(
      `${proposed?.key ?? 'The chain'} has ${found.size} delivered versions; after the set there are ${after.size}, of which ${differing} differ.`,
    )
}

/** The versions that a proposal names. Throws `Damaged`. */
export async function readProposedVersions(
  publisher: Checker,
  { key, versions, ...listed }: DeliveredVersions,
): Promise<Versions> {
  const stored = await publisher.objects.read(key)
  return named({ key }, () => {
    const found = versionsIn(checkObject(stored?.bytes, listed))
    expectNumber(found.size, versions, 'versions')
    return found
  })
}
