import { Damaged, inContext } from '../check/damage.ts'
import { checkObject, expectNumber, type ListedPage } from '../check/page.ts'
import type { Entry } from '../check/set/joined-lines.ts'
import { recordBytes } from '../check/set/record-entries.ts'
import { readRecord } from '../check/set/records.ts'
import { linesOf, readText } from '../check/stored-lines.ts'
import { checkTime, readSeveral } from '../chunks.ts'
import type { Checker } from '../ports.ts'

/** A page of a snapshot or a part of a set. Of records of increments, `after` is the document. */
export interface DocumentObject extends ListedPage {
  readonly holds: 'documents' | 'records'
}

/** The lines of these objects, which are as they are listed. Throws `Damaged`, and `Unfinished` when the time is up. */
export async function* readTexts<O extends ListedPage>(
  publisher: Checker,
  objects: readonly O[],
): AsyncGenerator<{ readonly object: O; readonly text: Buffer }> {
  const read = async (object: O) => ({ object, stored: await publisher.objects.read(object.key) })
  for (const next of readSeveral(objects, read)) {
    checkTime(publisher)
    const { object, stored } = await next
    yield { object, text: named(object, () => textOf(object, stored?.bytes)) }
  }
}

/** What is read of each of these objects. An error names the object. */
export async function readEach<O extends ListedPage, Read>(
  publisher: Checker,
  objects: readonly O[],
  read: (text: Buffer, object: O) => Read,
): Promise<Read[]> {
  const found: Read[] = []
  for await (const { object, text } of readTexts(publisher, objects))
    found.push(named(object, () => read(text, object)))
  return found
}

function textOf(listed: ListedPage, stored: Buffer | undefined): Buffer {
  const text = readText(checkObject(stored, listed))
  let lines = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++
  expectNumber(lines, listed.documents, 'documents')
  return text
}

/** Names the object that is not right. */
export const named = <T>({ key }: Pick<ListedPage, 'key'>, check: () => T): T =>
  inContext((problem) => `The object ${key} as stored ${problem}.`, check)

/** A part that is in the folder of its set. Throws `Damaged`. */
export function ownPart<P extends Pick<ListedPage, 'key'>>(part: P, folder: string): P {
  if (!part.key.startsWith(folder)) throw new Damaged(`The part ${part.key} is not in the folder ${folder}.`)
  return part
}

/** Objects whose lines are numbered through. */
export class NumberedLines<O extends DocumentObject> {
  readonly objects: readonly O[]
  /** Of the lines of each object; none of pages. */
  readonly entries: readonly Buffer[]
  /** The first line of each object. */
  readonly #starts: readonly number[]

  constructor(objects: readonly O[], entries: readonly Buffer[] = []) {
    let lines = 0
    this.objects = objects
    this.entries = entries
    this.#starts = objects.map(({ documents }) => {
      lines += documents
      return lines - documents
    })
  }

  entryOf(line: number): Entry {
    const { place, index } = this.at(line)
    return { of: this.entries[place] ?? Buffer.alloc(0), at: index * recordBytes }
  }

  at(line: number): { readonly object: O; readonly place: number; readonly index: number } {
    let [low, high] = [0, this.objects.length - 1]
    while (low < high) {
      const middle = (low + high + 1) >>> 1
      if ((this.#starts[middle] ?? 0) <= line) low = middle
      else high = middle - 1
    }
    return { object: this.objects[low] as O, place: low, index: line - (this.#starts[low] ?? 0) }
  }

  nameOf(line: number): string {
    const { object, index } = this.at(line)
    return `The document in line ${index + 1} of ${object.key}`
  }
}

/** The documents of these lines, each with its place among them. Only their objects are read. */
export async function* documentsAt(
  publisher: Checker,
  lines: NumberedLines<DocumentObject>,
  { wanted, idField }: { readonly wanted: readonly number[]; readonly idField: string },
): AsyncGenerator<readonly [place: number, document: string]> {
  const byObject = Map.groupBy(wanted.keys(), (place) => lines.at(wanted[place] ?? 0).object)
  for await (const { object, text } of readTexts(publisher, [...byObject.keys()])) {
    const all = [...linesOf(text)]
    for (const place of byObject.get(object) ?? []) {
      const line = all[lines.at(wanted[place] ?? 0).index] ?? ''
      const rules = { ops: 'r', idField }
      yield [place, object.holds === 'records' ? (readRecord(line, rules).after?.text ?? '') : line]
    }
  }
}
