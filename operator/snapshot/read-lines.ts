import type { ReadObject } from '../aws/objects.aws.ts'
import { checkObject, type ListedObject } from './checked-objects.ts'
import { DamagedData } from './damaged-data.ts'
import { splitLines } from './lines.ts'

/** The lines of an object that a manifest lists. Throws `DamagedData` if they are not what it lists. */
export async function readLines(object: ListedObject, read: ReadObject): Promise<Buffer[]> {
  return [...splitLines(await readText(object, read))]
}

/** The same as one text. */
export async function readText(object: ListedObject, read: ReadObject): Promise<Buffer> {
  const checked = await checkObject(object, await read(object.key))
  if ('lines' in checked) return checked.lines
  throw new DamagedData(`The stored data is damaged: ${object.key}: ${checked.problem}.`)
}
