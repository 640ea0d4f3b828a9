import type { ReadObject } from '../aws/objects.aws.ts'
import { DamagedData } from '../errors.ts'
import { type CheckedObject, checkBytes, checkedObjects, type ManifestObject } from './checked-objects.ts'
import { splitLines } from './lines.ts'

/** The lines of each object in order. Reports how many lines were read so far. Throws `DamagedData`. */
export async function* intactLines(
  objects: readonly ManifestObject[],
  read: ReadObject,
  onProgress: (done: number) => void = () => undefined,
): AsyncGenerator<Buffer> {
  let done = 0
  onProgress(done)
  for await (const checked of checkedObjects(objects, read)) {
    const lines = linesOf(checked)
    done += checked.object.count
    yield lines
    onProgress(done)
  }
}

/** The lines of one object. Throws `DamagedData`. */
export const readIntactLines = async (object: ManifestObject, read: ReadObject): Promise<Buffer[]> => [
  ...splitLines(linesOf(await checkBytes(object, await read(object.key)))),
]

function linesOf(checked: CheckedObject): Buffer {
  if ('lines' in checked) return checked.lines
  throw new DamagedData(`The stored data is damaged: ${checked.object.key}: ${checked.problem}.`)
}

/** Throws `DamagedData` unless the objects of a manifest have as many lines as it reports. */
export function requireCount(key: string, objects: readonly ManifestObject[], expected: number): void {
  const sum = objects.reduce((total, { count }) => total + count, 0)
  if (sum === expected) return
  throw new DamagedData(
    `The stored data is damaged: ${key}: its objects have ${sum} lines; the manifest has ${expected}.`,
  )
}
