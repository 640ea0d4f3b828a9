import { createHash } from 'node:crypto'
import { canonicalDocument } from '../../../functions/chain/canonical.ts'
import { StoredLines } from '../../../functions/documents/stored-lines.ts'
import { ProblemError } from '../../../functions/http/problem.ts'
import type { Manifest } from '../../../functions/state/snapshots/manifest.ts'
import type { ReadObject } from '../../../operator/aws/objects.aws.ts'
import type { PagePosition } from '../../../operator/history/find-document.ts'
import type { RecordKind } from '../../../operator/history/record.ts'
import { objectsOfPages } from '../../../operator/snapshot/checked-objects.ts'
import { intactLines } from '../../../operator/snapshot/intact-lines.ts'
import type { RecordRow } from '../../contract/change-sets.ts'
import type { ComparisonResponse } from '../../contract/snapshots.ts'
import { createPromiseCache } from '../promise-cache.ts'
import { snapshotSummary } from './kept-snapshots.ts'
import { linesOfPage } from './pages.ts'
import { changeRow, type ValueExtent } from './values.ts'

/** Their hashes are in memory: some 200 bytes for each document. */
const maxDocuments = 1_000_000
const maxRecords = 50
const maxCached = 2

/** Where a document is, and the hash of its content. */
interface Found extends PagePosition {
  readonly hash: string
}

/** A document that differs. The positions are those in each snapshot. */
interface Difference {
  readonly kind: RecordKind
  readonly id: string | null
  readonly before: PagePosition | undefined
  readonly after: PagePosition | undefined
}

export interface SnapshotPair {
  readonly before: Manifest
  readonly after: Manifest
  /** Fields that do not count. */
  readonly ignored: ReadonlySet<string>
}

interface Compared {
  readonly differences: readonly Difference[]
  readonly unchanged: number
}

/** Compares any two snapshots of an entity. The last comparisons are kept, since snapshots never change. */
export function createComparisons(read: ReadObject) {
  const cached = createPromiseCache<Compared>(maxCached)
  const compared = (pair: SnapshotPair) =>
    cached(`${pair.before.entity}/${pair.before.runId}/${pair.after.runId}`, () => compare(pair, read))

  async function row(
    { before, after, ignored }: SnapshotPair,
    difference: Difference,
    shown: { readonly index: number; readonly extent: ValueExtent },
  ): Promise<RecordRow> {
    const lineAt = async (manifest: Manifest, position: PagePosition | undefined) =>
      position && (await linesOfPage(manifest, position.page, read))[position.line]?.toString()
    const [old, current] = await Promise.all([
      lineAt(before, difference.before),
      lineAt(after, difference.after),
    ])
    const record = { ...difference, id: difference.id ?? 'null', before: old, after: current }
    const path = `/entities/${encodeURIComponent(before.entity)}/compare/${before.runId}/${after.runId}/records/${shown.index}`
    return changeRow({ record, path, ignored }, shown.extent)
  }

  return {
    /** Some of the documents that differ, with the beginnings of their values. */
    async list(pair: SnapshotPair, from: number): Promise<ComparisonResponse> {
      const { differences, unchanged } = await compared(pair)
      const count = (kind: RecordKind) => differences.filter((one) => one.kind === kind).length
      const records: RecordRow[] = []
      for (const [index, difference] of differences.slice(from, from + maxRecords).entries()) {
        records.push(await row(pair, difference, { index: from + index, extent: 'beginning' }))
      }
      return {
        before: snapshotSummary(pair.before),
        after: snapshotSummary(pair.after),
        counts: {
          created: count('created'),
          updated: count('updated'),
          deleted: count('deleted'),
          unchanged,
        },
        from,
        total: differences.length,
        records,
      }
    },

    /** One of them with its whole values. Throws `ProblemError` if there is none. */
    async read(pair: SnapshotPair, index: number): Promise<RecordRow> {
      const difference = (await compared(pair)).differences[index]
      if (!difference) throw new ProblemError('not-found', 'Fewer documents differ.')
      return row(pair, difference, { index, extent: 'whole' })
    },
  }
}

async function compare({ before, after, ignored }: SnapshotPair, read: ReadObject): Promise<Compared> {
  for (const { documents } of [before, after]) {
    if (documents <= maxDocuments) continue
    const detail =
      'A snapshot has more than 1,000,000 documents, the most that the console compares. Download both and compare the files.'
    throw new ProblemError('invalid-request', detail)
  }
  const [old, current] = await Promise.all([indexOf(before, ignored, read), indexOf(after, ignored, read)])
  const differences: Difference[] = []
  let unchanged = 0
  for (const [identity, found] of current) {
    const earlier = old.get(identity)
    if (earlier?.hash === found.hash) unchanged++
    else {
      const kind = earlier ? 'updated' : 'created'
      differences.push({ kind, id: idOf(identity), before: earlier, after: found })
    }
  }
  for (const [identity, found] of old) {
    if (!current.has(identity)) {
      differences.push({ kind: 'deleted', id: idOf(identity), before: found, after: undefined })
    }
  }
  return { differences, unchanged }
}

/** The key of a document without an id, which is identified by its bytes. No id in JSON begins like this. */
const withoutId = 'bytes '

const idOf = (identity: string) => (identity.startsWith(withoutId) ? null : identity)

/** The documents of a snapshot by their identity. Of several with one id, the last one counts. */
async function indexOf(
  manifest: Manifest,
  ignored: ReadonlySet<string>,
  read: ReadObject,
): Promise<Map<string, Found>> {
  const index = new Map<string, Found>()
  const idField = Buffer.from(manifest.idField)
  let page = 0
  for await (const text of intactLines(objectsOfPages(manifest.pages), read)) {
    page++
    const lines = new StoredLines(text, idField)
    for (let line = 0; lines.next(); line++) {
      const identity = lines.identity()
      const hash = digestOf(canonicalDocument(text.subarray(lines.start, lines.end), ignored))
      const key = typeof identity === 'string' ? identity : withoutId + digestOf(identity)
      index.set(key, { hash, page, line })
    }
  }
  return index
}

const digestOf = (content: string | Uint8Array) =>
  createHash('sha256').update(content).digest('base64').slice(0, 22)
