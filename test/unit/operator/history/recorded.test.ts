import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { findOver } from '../../../../operator/history/recorded.ts'
import type { SetManifest } from '../../../../stored/changes/changes.ts'

const objects = new Map<string, Buffer>()
const part = (key: string, ...lines: readonly string[]) => {
  const body = gzipSync(lines.map((line) => `${line}\n`).join(''))
  objects.set(key, body)
  const sha256 = createHash('sha256').update(body).digest('hex')
  return { key, records: lines.length, bytes: body.length, sha256 }
}
const delivered = (id: string, n: number) => `{"op":"r","id":"${id}","after":{"id":"${id}","n":${n}}}`

const set = {
  kind: 'increment',
  idField: 'id',
  incrementParts: [
    part('i1', delivered('a', 1), delivered('b', 1)),
    part('i2', delivered('a', 2), delivered('a', 3)),
  ],
  withheldParts: [
    { ...part('w0', '{"id":"a","n":0}', '{"id":"c","n":0}'), countedAbsences: 0 },
    { ...part('w1', '{"id":"d","n":0}'), countedAbsences: 1 },
  ],
} as unknown as SetManifest

const withheld = (id: string, n: number, counted: number) => ({
  in: 'withheld',
  document: `{"id":"${id}","n":${n}}`,
  counted,
})

it.each([
  ['a', 'as the last increment delivered it', withheld('a', 3, 0)],
  ['b', 'as an earlier increment delivered it', withheld('b', 1, 0)],
  ['c', 'as the full set withholds it', withheld('c', 0, 0)],
  ['d', 'with the absences that count', withheld('d', 0, 1)],
  ['e', 'not at all', { in: 'nothing' }],
])('readers have the document %s over the snapshot %s', async (...[id, , found]) => {
  expect(await findOver(set, id, async (key) => objects.get(key))).toEqual(found)
})
