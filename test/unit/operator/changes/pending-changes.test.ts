import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { expect, it, vi } from 'vitest'
import { PendingChanges } from '../../../../operator/changes/pending-changes.ts'
import { temporaryFolder } from '../../../temporary-folder.ts'

const folder = temporaryFolder()

it('has each document whole, although the disk takes a few bytes at a time', () => {
  const { writeSync } = fs
  type Write = [file: number, bytes: Uint8Array, at: number, length: number, position: number]
  vi.spyOn(fs, 'writeSync').mockImplementation(((...[file, bytes, at, length, position]: Write) =>
    writeSync(file, bytes, at, Math.min(length, 3), position)) as typeof fs.writeSync)
  syncBuiltinESMExports()
  try {
    using pending = new PendingChanges(folder)
    for (const id of ['a1', 'b2']) pending.upsert(id, Buffer.from(`{"id":"${id}"}`), 'created')
    expect(
      [...pending.takeRest()].map(([id, change]) => [
        id,
        change.kind === 'upsert' && change.document.toString(),
      ]),
    ).toEqual([
      ['a1', '{"id":"a1"}'],
      ['b2', '{"id":"b2"}'],
    ])
  } finally {
    vi.restoreAllMocks()
    syncBuiltinESMExports()
  }
})
