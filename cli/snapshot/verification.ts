import { MalformedPage } from '../../functions/documents/json-scalars.ts'
import { splitPageInPlace } from '../../functions/documents/split.ts'
import { UniqueCount } from '../../functions/documents/unique-count.ts'
import {
  type Latest,
  latestKey,
  type Manifest,
  manifestKey,
  runPrefix,
} from '../../functions/state/manifest.ts'
import type { CheckedPage } from './page.ts'

/** Something in the bucket (or the state table) that is not what it should be. */
export interface Mismatch {
  readonly where: string
  readonly problem: string
}

/** What `latest.json` and the manifest say, against each other. */
export function compareDoors(
  entity: string,
  { latest, manifest, remembered }: { latest: Latest; manifest: Manifest; remembered: Latest | undefined },
): Mismatch[] {
  const found: Mismatch[] = []
  const expect = (where: string, isRight: boolean, problem: string) => {
    if (!isRight) found.push({ where, problem })
  }
  const door = latestKey(entity)
  const { runId, pages } = manifest
  expect(door, latest.manifest === manifestKey(entity, latest.runId), `it names ${latest.manifest}`)
  expect(
    door,
    latest.documents === manifest.documents,
    `it says ${latest.documents} documents; the manifest says ${manifest.documents}`,
  )
  expect(
    door,
    remembered?.runId === latest.runId,
    `it names run ${latest.runId}; the state table says ${remembered?.runId ?? 'that nothing is published'}`,
  )
  const key = latest.manifest
  expect(key, manifest.version === 1, `its version is ${manifest.version}; this Longshore reads 1`)
  expect(
    key,
    manifest.entity === entity && runId === latest.runId,
    `it is of run ${runId} of ${manifest.entity}`,
  )
  const sum = pages.reduce((total, page) => total + page.documents, 0)
  expect(
    key,
    sum === manifest.documents,
    `it says ${manifest.documents} documents; its pages add up to ${sum}`,
  )
  expect(key, new Set(pages.map((page) => page.key)).size === pages.length, 'it names a page twice')
  const stray = pages.find((page) => !page.key.startsWith(runPrefix(entity, runId)))
  expect(key, stray === undefined, `it names ${stray?.key}, which is of another run`)
  return found
}

/** Counts what whole pages hold, and finds those that are not whole. */
export function verification(idField: string) {
  const ids = new UniqueCount()
  const mismatches: Mismatch[] = []
  let documents = 0
  return {
    add(checked: CheckedPage): void {
      const where = checked.page.key
      if ('problem' in checked) {
        mismatches.push({ where, problem: checked.problem })
        return
      }
      documents += checked.page.documents
      try {
        ids.addPage(splitPageInPlace(asArray(checked.lines), idField).fingerprints)
      } catch (error) {
        if (!(error instanceof MalformedPage)) throw error
        mismatches.push({ where, problem: 'a line of it is not a JSON document' })
      }
    },

    /** What was counted of a snapshot whose every page was added. */
    end({ latest, manifest }: { latest: Latest; manifest: Manifest }) {
      const { unique: uniqueIds } = ids.result()
      ids[Symbol.dispose]()
      if (mismatches.length === 0 && uniqueIds !== manifest.uniqueIds) {
        mismatches.push({
          where: latest.manifest,
          problem:
            `it says ${manifest.uniqueIds} different ids; by the field ${idField} there are ${uniqueIds}. ` +
            'That is right only if idField was changed after the publication.',
        })
      }
      return { documents, uniqueIds, mismatches }
    },
  }
}

const comma = 0x2c
const lineFeed = 0x0a

/** The lines as the array that the platform sent them in: a raw line feed can only stand between documents. */
function asArray(lines: Buffer): Buffer {
  if (lines.length === 0) return Buffer.from('[]')
  const array = Buffer.concat([Buffer.from('['), lines])
  for (let at = array.indexOf(lineFeed); at >= 0; at = array.indexOf(lineFeed, at + 1)) array[at] = comma
  array[array.length - 1] = 0x5d
  return array
}
