import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Writes each object to a file of the folder, as `aws s3 sync` does. */
export function copyBucket(
  objects: Iterable<readonly [string, { readonly body: Buffer }]>,
  folder: string,
): void {
  for (const [key, { body }] of objects) {
    const file = join(folder, key)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, body)
  }
}
