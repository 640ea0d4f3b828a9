import { randomBytes } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { createGzipper } from '../../../functions/sync/gzip.ts'

const compressible = (megabytes: number) =>
  Buffer.from('{"id":"1","name":"one"}\n'.repeat(43_690 * megabytes))

it('makes a file of its own of each page, one after another and several at once', async () => {
  const gzip = createGzipper()
  const pages = [
    compressible(1),
    randomBytes(700_000),
    Buffer.from('{}\n'),
    Buffer.alloc(0),
    compressible(12),
  ]
  const inTurn: Buffer[] = []
  for (const page of [...pages, ...pages]) inTurn.push(await gzip(page))
  const atOnce = await Promise.all([...pages, ...pages].map(gzip))
  for (const files of [inTurn, atOnce]) {
    expect(
      files.map((file, at) => gunzipSync(file).equals([...pages, ...pages][at] ?? Buffer.of(1))),
    ).toEqual(files.map(() => true))
  }
})
