import { type PageSource, readPages, type StoredObject } from '../../chain/read-pages.ts'
import type { StatePart } from '../../chain/state-parts.ts'
import { Entries } from '../../documents/entries.ts'
import { writeIdHash } from '../../documents/id-hash.ts'
import { type Line, LineWindow } from '../read/line-window.ts'
import { alignLines } from './align.ts'
import { baseLineWord, basePageWord, entryWords, lineWord, pageWord } from './entries.ts'
import { IndexedSide } from './indexed-side.ts'

/** Two snapshots, indexed. */
export class IndexedSides implements Disposable {
  readonly base = new IndexedSide()
  readonly target = new IndexedSide()
  /** Documents of the base that increments delivered. Their lines are saved with those of the base. */
  readonly delivered = new Entries(entryWords)
  /** Documents that were found unchanged while reading. */
  readonly same = new Entries(entryWords)
  /** Documents that were read, those with the same id included. */
  readonly counts = { base: 0, target: 0 };

  [Symbol.dispose](): void {
    this.base[Symbol.dispose]()
    this.target[Symbol.dispose]()
    this.delivered[Symbol.dispose]()
    this.same[Symbol.dispose]()
  }
}

export interface ReadSides {
  readonly base: readonly StatePart[]
  readonly target: readonly StoredObject[]
  readonly idField: string
}

/**
 * Reads all documents of both snapshots. A withheld document never counts as unchanged: if it is back, the set must
 * report it.
 */
export async function indexSides(source: PageSource, sides: ReadSides, indexed: IndexedSides): Promise<void> {
  const { base, target } = sides
  const idField = Buffer.from(sides.idField)
  const { counts } = indexed
  const pagesFrom = (wanted: StatePart['from']) =>
    readPages(
      source,
      base,
      base.flatMap(({ from }, index) => (from === wanted ? index : [])),
    )
  const targetPages = readPages(source, target, [...target.keys()])
  const entry = new Uint32Array(entryWords)
  await alignLines(new LineWindow(pagesFrom('snapshot'), idField), new LineWindow(targetPages, idField), {
    same(before, after) {
      writeSame(entry, before, after)
      indexed.same.add(entry)
      counts.base++
      counts.target++
    },
    onlyInBase(before) {
      indexed.base.add(before)
      counts.base++
    },
    onlyInTarget(after) {
      indexed.target.add(after)
      counts.target++
    },
  })
  counts.base += await indexed.base.addPages(pagesFrom('withheld'), idField)
  counts.base += await indexed.base.addPages(pagesFrom('increment'), idField, indexed.delivered)
}

function writeSame(entry: Uint32Array, before: Line, after: Line): void {
  const { scanner } = before.page
  scanner.moveTo(before.page.start(before.line))
  writeIdHash(scanner.identity(), entry, 0)
  entry[basePageWord] = before.page.index
  entry[baseLineWord] = before.line
  entry[pageWord] = after.page.index
  entry[lineWord] = after.line
}
