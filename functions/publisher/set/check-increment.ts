import { isDeepStrictEqual } from 'node:util'
import { incrementPartsOf, snapshotContentSum } from '../../../stored/changes/chain-facts.ts'
import { setManifestKey, setPrefix } from '../../../stored/changes/change-keys.ts'
import type { ChangePart, SetManifest } from '../../../stored/changes/changes.ts'
import type { ProposedIncrement } from '../../../stored/changes/proposal.ts'
import { manifestKey } from '../../../stored/snapshots/manifest.ts'
import { Damaged } from '../check/damage.ts'
import { sumOf } from '../check/ranges.ts'
import { hashNumber, shortHash, sumText } from '../check/set/canonical.ts'
import { dateIn, protectedAfter } from '../check/set/dates.ts'
import { deliveredAtOf, versionDateOf, versionText } from '../check/set/record-entries.ts'
import { checkWindow, type IncrementToCheck, proveWindow } from '../check/set/window.ts'
import type { Checker } from '../ports.ts'
import { readVersioned } from '../read-stored.ts'
import { checkMembers } from './check-members.ts'
import { readProposedVersions, readVersions, runTime } from './delivered-rules.ts'
import { eachDelivered, recordsObject } from './index-parts.ts'
import { ownPart, readEach } from './stored-documents.ts'

/** Checks an increment, also one without records, which only moves the window. Throws `Damaged`. */
export async function checkIncrement(publisher: Checker, increment: IncrementToCheck): Promise<void> {
  const { chain, snapshot, proposal } = increment
  checkAdmission(increment)
  const { entity, runId, evidence, records } = proposal
  checkWindow(increment, runTime(runId))
  const read = await readDelivered(publisher, increment)
  checkMembers(proposal, { proof: proveWindow(increment), records: read.versions.size })
  const found = records + proposal.older + evidence.equal + proposal.withoutId
  const { uniqueIds = 0 } = evidence.scrolls.at(-1) ?? {}
  if (found !== uniqueIds || Math.min(proposal.older, evidence.equal, proposal.withoutId) < 0)
    throw new Damaged(`The increment ${runId} accounts for ${found} documents; ${uniqueIds} were received.`)
  if (records === 0) return
  const tip = await readVersioned<SetManifest>(publisher, setManifestKey(entity, chain.tip))
  if (!tip) throw new Damaged(`The manifest of the tip ${chain.tip} of ${entity} is missing.`)
  const { value: manifest, sha256 } = tip
  // What the set has beside its records is what the tip and its snapshot have.
  checkMembers(proposal, {
    base: manifest.runId,
    baseSha256: sha256,
    idField: snapshot.idField,
    ignore: snapshot.ignore,
    snapshot: manifestKey(proposal.entity, snapshot.runId),
    snapshotSha256: manifest.snapshotSha256,
    snapshotContentSum: snapshotContentSum(manifest),
    stateDocuments: null,
    stateIdSum: null,
    recordsIdSum: read.recordsIdSum,
    recordsContentSum: read.recordsContentSum,
    withheldParts: manifest.withheldParts,
    withheldSince: manifest.kind === 'reset' ? undefined : manifest.withheldSince,
  })
  await checkVersions(publisher, increment, read.versions)
  await checkIncrementParts(publisher, proposal, incrementPartsOf(manifest))
}

/** An increment extends a chain that continues from a snapshot with the entity's configuration. */
function checkAdmission({ chain, snapshot, rules }: IncrementToCheck): void {
  const { query, idField, ignore } = snapshot
  const isConfigured =
    isDeepStrictEqual(query, rules.query) &&
    idField === rules.idField &&
    isDeepStrictEqual(ignore.toSorted(), rules.ignore.toSorted())
  if (chain.reset !== null) throw new Damaged(`The chain starts again: ${chain.reset}`)
  if (snapshot.republishedFrom !== undefined)
    throw new Damaged(`The chain's snapshot ${snapshot.runId} was published again.`)
  if (!isConfigured)
    throw new Damaged(`The chain's snapshot ${snapshot.runId} has another query, idField or changes.ignore.`)
}

/** Documents further away from a window show that the platform ignores its filter. */
const nearUs = 2 * 86_400_000_000
const slackUs = 6 * 60_000_000

async function readDelivered(publisher: Checker, { proposal, snapshot }: IncrementToCheck) {
  const { entity, runId, from, to, evidence } = proposal
  const ignored = new Set(snapshot.ignore)
  const earliest = Date.parse(from) * 1000 - nearUs
  const lastRead = evidence.scrolls.at(-1)?.end.received?.exchanges.at(-1)?.at ?? 0
  const latest = Math.max(lastRead, evidence.clock.at) * 1000 + slackUs + nearUs
  const isNear = (document: object) =>
    ['createdIn', 'updatedIn'].some((field) => {
      const date = dateIn(document, field)
      return date !== undefined && date >= earliest && date <= latest
    })
  const versions = new Map<string, string>()
  let idSum = 0n
  let contentSum = 0n
  const parts = proposal.parts.map((part) => recordsObject(ownPart(part, setPrefix(entity, runId))))
  await readEach(publisher, parts, (text) =>
    eachDelivered(text, snapshot.idField, ({ id, after }) => {
      if (!isNear(after.value)) throw new Damaged('has no date near the window')
      if (versions.has(id)) throw new Damaged('has an id that occurs twice')
      const version = versionText(after, ignored, Date.parse(to) * 1000)
      versions.set(id, version)
      idSum += hashNumber(id)
      contentSum += hashNumber(version.slice(0, 16))
    }),
  )
  return { recordsIdSum: sumText(idSum), recordsContentSum: sumText(contentSum), versions }
}

/** The set remembers what it delivers, and what was delivered before as long as a snapshot may lack it. */
async function checkVersions(
  publisher: Checker,
  { chain, proposal, rules }: IncrementToCheck,
  delivers: ReadonlyMap<string, string>,
): Promise<void> {
  const { delivered, to } = proposal
  const [before, after] = [
    await readVersions(publisher, chain.delivered),
    await readProposedVersions(publisher, ownPart(delivered, setPrefix(proposal.entity, proposal.runId))),
  ]
  const neededFrom = protectedAfter(to, rules.lookbackMinutes)
  const older = [...delivers].filter(
    ([id, version]) => versionDateOf(version) < versionDateOf(before.get(id) ?? version),
  ).length
  const wrong = [...delivers].filter(([id, version]) => after.get(id) !== version).length
  const lost = [...before].filter(
    ([id, version]) => deliveredAtOf(version) >= neededFrom && !delivers.has(id) && !after.has(id),
  ).length
  const other = [...after].filter(([id, version]) => (delivers.get(id) ?? before.get(id)) !== version).length
  if (wrong + lost + other + older > 0)
    throw new Damaged(
      `${delivered.key} lacks ${wrong} of the ${delivers.size} delivered versions and ${lost} earlier ones, has ${other} others, and ${older} go back.`,
    )
}

/** The parts that readers apply who begin: those of the tip and the set's own, or the last record of each id in these. */
async function checkIncrementParts(
  publisher: Checker,
  { entity, runId, idField, parts, incrementParts }: ProposedIncrement,
  before: readonly ChangePart[],
): Promise<void> {
  const all = [...before, ...parts]
  if (isDeepStrictEqual(incrementParts, all)) return
  const folder = setPrefix(entity, runId)
  const compacted = incrementParts.map((part) => recordsObject(ownPart(part, folder)))
  const passes = Math.ceil(sumOf(all.map((part) => part.records)) / maxIdsPerPass)
  for (let pass = 0; pass < passes; pass++) {
    const isOfPass = (id: string) => id.charCodeAt(0) % passes === pass
    const last = new Map<string, string>()
    await readEach(publisher, all.map(recordsObject), (text) =>
      eachDelivered(text, idField, ({ line, id }) => {
        if (isOfPass(id)) last.set(id, shortHash(line))
      }),
    )
    await readEach(publisher, compacted, (text) =>
      eachDelivered(text, idField, ({ line, id }) => {
        if (isOfPass(id) && (last.get(id) !== shortHash(line) || !last.delete(id)))
          throw new Damaged('is not the last record of its id, or occurs twice')
      }),
    )
    if (last.size > 0)
      throw new Damaged(`The compacted parts of ${runId} lack the last records of ${last.size} ids.`)
  }
}

const maxIdsPerPass = 1_000_000
