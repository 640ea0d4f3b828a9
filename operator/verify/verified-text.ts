import { formatDocuments, plural } from '../../functions/runtime/format.ts'
import { type Entities, longshoreCommand, syncFix, type Target } from '../deployment/deployment.ts'
import type { Repair } from './repair.ts'
import type { Mismatch, Verified } from './verify-stored.ts'

/** The counts of an intact snapshot, or what is wrong with it and how to repair it or to publish a new one. */
export function verifiedLines(
  verified: Verified,
  { configuration }: { readonly configuration: Entities },
  target: Target,
): string[] {
  const { entity, runId, documents, uniqueIds, pages, mismatches, repair, restored } = verified
  const lines = restored.map((key) => `Restored an intact version of ${key}.`)
  if (mismatches.length === 0) {
    const counts = `${plural(pages, 'page')}, ${formatDocuments(documents)}, ${plural(uniqueIds, 'unique id')}`
    const intact = `Run ${runId} of ${entity} matches its manifest: ${counts}.${othersText(verified)}`
    if (restored.length === 0) return [repair ? `${intact} There is nothing to repair.` : intact]
    const sync = syncFix(configuration, entity, target)
    return [
      ...lines,
      intact,
      `If a comparison failed because of what was damaged, a sync repeats it: ${sync}`,
    ]
  }
  if (repair && restored.length === 0) lines.push('Nothing was restored.')
  return [
    ...lines,
    headOf(verified),
    ...mismatches.map((mismatch) => `  ${mismatchText(mismatch)}`),
    `  → ${resolutionOf(verified, configuration, target)}`,
  ]
}

function othersText({ chainObjects, otherSnapshots, tableFiles }: Verified): string {
  const ofChain =
    chainObjects === 0 ? '' : ` ${plural(chainObjects, 'more object')} that change sets need match theirs.`
  const others = [
    ...(otherSnapshots === 0 ? [] : [plural(otherSnapshots, 'other snapshot')]),
    ...(tableFiles === 0 ? [] : [`${plural(tableFiles, 'data file')} of the table`]),
  ]
  return others.length === 0 ? ofChain : `${ofChain} Also intact: ${others.join(', ')}.`
}

function headOf({ entity, runId, mismatches }: Verified): string {
  if (!isIntact(mismatches)) return `Run ${runId} of ${entity} does not match its manifest:`
  return `Run ${runId} of ${entity} matches its manifest. Not everything else that is stored:`
}

function resolutionOf({ entity, mismatches }: Verified, configuration: Entities, target: Target): string {
  // A repair loses nothing.
  if (mismatches.some(({ repair }) => repair === 'possible' || repair === 'unknown'))
    return longshoreCommand(target, `verify ${entity} --repair`)
  const isNeededBy = (by: Mismatch['neededBy']) => mismatches.some(({ neededBy }) => neededBy === by)
  if (!isIntact(mismatches)) return syncFix(configuration, entity, target)
  if (isNeededBy('change-sets')) return longshoreCommand(target, `changes ${entity} --reset`)
  return isNeededBy('table') || isNeededBy('review')
    ? syncFix(configuration, entity, target)
    : 'do not republish these snapshots; they are deleted once keepSnapshots newer ones are published'
}

/** Whether only other things than the published snapshot do not match. */
const isIntact = (mismatches: readonly Mismatch[]) =>
  mismatches.every(({ neededBy }) => neededBy !== undefined)

const mismatchText = ({ key, problem, repair, neededBy }: Mismatch) =>
  `${key}: ${problem}${repair === undefined ? '' : repairTexts[repair]}${neededBy === undefined ? '' : neededByTexts[neededBy]}`

const neededByTexts: Readonly<Record<NonNullable<Mismatch['neededBy']>, string>> = {
  'change-sets': '; change sets need it',
  'other-snapshots': '; the published snapshot does not need it',
  table: '; the table needs it',
  review: '; status and reviews need it',
}

const repairTexts: Readonly<Record<Repair, string>> = {
  possible: '; an older version is intact',
  impossible: '; no older version is intact',
  unknown: '; its versions cannot be read with these permissions',
  restored: '',
  unneeded: '; it has the SHA-256 of the manifest, so no other version helps',
}
