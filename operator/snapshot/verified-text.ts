import { formatDocuments, plural } from '../../functions/runtime/format.ts'
import { type Entities, longshoreCommand, syncFix, type Target } from '../deployment/deployment.ts'
import type { Repair } from './checked-objects.ts'
import type { Mismatch } from './verification.ts'
import type { Verified } from './verify.ts'

/** The counts of an intact snapshot, or what is wrong with it and how to repair it or to publish a new one. */
export function verifiedLines(
  verified: Verified,
  { configuration }: { readonly configuration: Entities },
  target: Target,
): string[] {
  const { entity, runId, documents, uniqueIds, pages, chainObjects, mismatches, repair, restored } = verified
  const lines = restored.map((key) => `Restored an intact version of ${key}.`)
  if (mismatches.length === 0) {
    const counts = `${plural(pages, 'page')}, ${formatDocuments(documents)}, ${plural(uniqueIds, 'unique id')}`
    const needed =
      chainObjects === 0 ? '' : ` ${plural(chainObjects, 'more object')} that change sets need match theirs.`
    const intact = `Run ${runId} of ${entity} matches its manifest: ${counts}.${needed}`
    if (restored.length === 0) return [repair ? `${intact} There is nothing to repair.` : intact]
    const sync = syncFix(configuration, entity, target)
    return [
      ...lines,
      intact,
      `If a comparison failed because of what was damaged, a sync repeats it: ${sync}`,
    ]
  }
  if (repair && restored.length === 0) lines.push('Nothing was restored.')
  const command = repairCommand(verified)
  const resolution =
    command === undefined ? syncFix(configuration, entity, target) : longshoreCommand(target, command)
  return [
    ...lines,
    isIntact(verified)
      ? `Run ${runId} of ${entity} matches its manifest. Not what its change sets need in addition:`
      : `Run ${runId} of ${entity} does not match its manifest:`,
    ...mismatches.map((mismatch) => `  ${mismatchText(mismatch)}`),
    `  → ${resolution}`,
  ]
}

/** Undefined if only a new snapshot helps. */
function repairCommand(verified: Verified): string | undefined {
  const { entity, mismatches } = verified
  // A repair loses nothing.
  if (mismatches.some(({ repair }) => repair === 'possible' || repair === 'unknown'))
    return `verify ${entity} --repair`
  return isIntact(verified) ? `changes ${entity} --reset` : undefined
}

/** Whether only change sets need what does not match. */
const isIntact = ({ mismatches }: Verified) => mismatches.every(({ neededBy }) => neededBy === 'change-sets')

const mismatchText = ({ key, problem, repair, neededBy }: Mismatch) =>
  `${key}: ${problem}${repair === undefined ? '' : repairTexts[repair]}${neededBy ? '; change sets need it' : ''}`

const repairTexts: Readonly<Record<Repair, string>> = {
  possible: '; an older version is intact',
  impossible: '; no older version is intact',
  unknown: '; its versions cannot be read with these permissions',
  restored: '',
  unneeded: '; it has the SHA-256 of the manifest, so no other version helps',
}
