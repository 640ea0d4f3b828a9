import type { Manifest } from '../../functions/state/manifest.ts'
import type { ReadObject } from '../aws/objects.aws.ts'
import { checkedPages } from './page.ts'

/** A page or a count differs from the manifest. */
export class DamagedSnapshot extends Error {
  override readonly name = 'DamagedSnapshot'
}

/** The lines of each page in order, with the number of documents so far to `onProgress`. Throws `DamagedSnapshot`. */
export async function* intactPages(
  { pages, documents }: Pick<Manifest, 'pages' | 'documents'>,
  read: ReadObject,
  onProgress: (done: number) => void,
): AsyncGenerator<Buffer> {
  let done = 0
  onProgress(done)
  for await (const checked of checkedPages(pages, read)) {
    if ('problem' in checked) {
      throw new DamagedSnapshot(`The snapshot is damaged: ${checked.page.key}: ${checked.problem}.`)
    }
    done += checked.page.documents
    yield checked.lines
    onProgress(done)
  }
  if (done !== documents) {
    throw new DamagedSnapshot(
      `The snapshot is damaged: its ${pages.length} pages have ${done} documents; the manifest has ${documents}.`,
    )
  }
}
