import type { SetManifest } from '../../stored/changes/changes.ts'
import type { Manifest } from '../../stored/snapshots/manifest.ts'
import type { ReadObject } from '../aws/objects.aws.ts'
import { parseRecord } from '../history/record.ts'
import { objectsOfParts } from '../snapshot/checked-objects.ts'
import { intactLines } from '../snapshot/intact-lines.ts'
import { splitLines } from '../snapshot/lines.ts'
import { type ChangeSummary, ChangeSummaryCounter } from './change-summary.ts'
import { firstDocuments } from './compare-snapshots.ts'

/**
 * Summarizes the records of a change set. `snapshot`: that of its run, with whose documents those that were created or deleted
 * are compared; undefined if it is no longer kept. An increment does not know what was before. Throws `DamagedData`.
 */
export async function summarizeSet(
  set: SetManifest,
  snapshot: Pick<Manifest, 'pages'> | undefined,
  read: ReadObject,
): Promise<ChangeSummary> {
  const counter = new ChangeSummaryCounter(new Set(set.ignore))
  if (set.kind !== 'changes') return counter.result()
  for (const fields of snapshot ? await firstDocuments(snapshot, read) : []) counter.addOther(fields)
  for await (const text of intactLines(objectsOfParts(set.parts), read)) {
    for (const line of splitLines(text)) {
      const { before, after } = parseRecord(line)
      counter.add(before, after)
    }
  }
  return counter.result()
}
