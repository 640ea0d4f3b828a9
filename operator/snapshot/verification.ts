import { closeBracket, comma, lineFeed } from '../../functions/documents/json-bytes.ts'
import { MalformedPage } from '../../functions/documents/json-scalars.ts'
import { splitPageInPlace } from '../../functions/documents/split.ts'
import { UniqueCount } from '../../functions/documents/unique-count.ts'
import {
  type Latest,
  latestKey,
  type Manifest,
  manifestKey,
  runPrefix,
} from '../../functions/state/snapshots/manifest.ts'
import type { CheckedObject, DamagedObject, Repair } from './checked-objects.ts'

/** An object that differs from what the manifest or the state table has. */
export interface Mismatch {
  readonly key: string
  readonly problem: string
  /** Whether an older version of a damaged or missing object is intact; absent of what is not an object's content. */
  readonly repair?: Repair
  /** Set if the snapshot does not need the object: a new snapshot does not resolve it. */
  readonly neededBy?: 'change-sets'
}

export const mismatchOf = ({ object: { key }, problem, repair }: DamagedObject): Mismatch =>
  repair === undefined ? { key, problem } : { key, problem, repair }

/** Compares `latest.json`, the manifest and the state table with each other. `recorded` is the table's `latest`. */
export function compareMetadata(
  entity: string,
  { latest, manifest, recorded }: { latest: Latest; manifest: Manifest; recorded: Latest | undefined },
): Mismatch[] {
  const { runId, pages } = manifest
  const pageSum = pages.reduce((sum, page) => sum + page.documents, 0)
  const foreignPage = pages.find((page) => !page.key.startsWith(runPrefix(entity, runId)))
  const ofLatest: [isRight: boolean, problem: string][] = [
    [latest.manifest === manifestKey(entity, latest.runId), `it points to ${latest.manifest}`],
    [
      latest.documents === manifest.documents,
      `it has ${latest.documents} documents; the manifest has ${manifest.documents}`,
    ],
    [
      recorded?.runId === latest.runId,
      `it points to run ${latest.runId}; the state table has ${recorded?.runId ?? 'no published run'}`,
    ],
  ]
  const ofManifest: [isRight: boolean, problem: string][] = [
    [
      manifest.entity === entity && runId === latest.runId,
      `it belongs to run ${runId} of ${manifest.entity}`,
    ],
    [
      pageSum === manifest.documents,
      `it has ${manifest.documents} documents; its pages add up to ${pageSum}`,
    ],
    [new Set(pages.map((page) => page.key)).size === pages.length, 'it lists a page twice'],
    [foreignPage === undefined, `it lists ${foreignPage?.key}, which belongs to another run`],
  ]
  return [...mismatchesAt(latestKey(entity), ofLatest), ...mismatchesAt(latest.manifest, ofManifest)]
}

function mismatchesAt(key: string, checks: readonly [isRight: boolean, problem: string][]): Mismatch[] {
  return checks.filter(([isRight]) => !isRight).map(([, problem]) => ({ key, problem }))
}

/** Counts the documents and unique ids of intact pages, and collects the damaged ones. */
export function verification(idField: string) {
  const ids = new UniqueCount()
  const mismatches: Mismatch[] = []
  let documents = 0
  return {
    add(checked: CheckedObject): void {
      const { key } = checked.object
      if ('problem' in checked) {
        mismatches.push(mismatchOf(checked))
        return
      }
      documents += checked.object.count
      try {
        ids.addPage(splitPageInPlace(asArray(checked.lines), idField).fingerprints)
      } catch (error) {
        if (!(error instanceof MalformedPage)) throw error
        mismatches.push({ key, problem: 'it has a line that is not a JSON document' })
      }
    },

    /** The result, after every page of the snapshot was added. */
    end({ latest, manifest }: { latest: Latest; manifest: Manifest }) {
      const { unique: uniqueIds } = ids.result()
      ids[Symbol.dispose]()
      if (mismatches.length === 0 && uniqueIds !== manifest.uniqueIds) {
        mismatches.push({
          key: latest.manifest,
          problem:
            `it has ${manifest.uniqueIds} unique ids; the documents have ${uniqueIds} in the field ${idField}. ` +
            'This is expected only if idField was changed after the publication.',
        })
      }
      return { documents, uniqueIds, mismatches }
    },
  }
}

/** Lines as a JSON array. A raw line feed occurs only between documents. */
function asArray(lines: Buffer): Buffer {
  if (lines.length === 0) return Buffer.from('[]')
  const array = Buffer.concat([Buffer.from('['), lines])
  for (let at = array.indexOf(lineFeed); at >= 0; at = array.indexOf(lineFeed, at + 1)) array[at] = comma
  array[array.length - 1] = closeBracket
  return array
}
