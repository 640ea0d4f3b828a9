import { closeSync, mkdtempSync, openSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { SpillFile } from '../../../functions/sync/spill-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'longshore-spill-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe.each([
  ['on the disk', folder],
  ['in memory, where no file can be made', join(folder, 'is-not-there')],
])('blocks that are kept %s', (_, where) => {
  it('come back as they were written, in any order and again', () => {
    using file = new SpillFile(3, where)
    const block = new Uint32Array(3)
    const places = Array.from({ length: 50 }, (_, index) => {
      block.set([index, 2 ** 32 - 1, 0])
      return file.write(block)
    })
    for (const index of [49, 0, 7, 7, 48]) {
      expect([...file.read(places[index] ?? -1)]).toEqual([index, 2 ** 32 - 1, 0])
    }
  })

  it('are gone when it is disposed of', () => {
    const file = new SpillFile(3, where)
    const place = file.write(Uint32Array.of(1, 2, 3))
    file[Symbol.dispose]()
    file[Symbol.dispose]()
    expect(() => file.read(place)).toThrow(`Block ${place} of a temporary file has 0 bytes, not 12.`)
  })
})

it('its file has no name while it is open, so that nothing is left behind by a process that dies', () => {
  using file = new SpillFile(3, folder)
  file.write(Uint32Array.of(1, 2, 3))
  expect(readdirSync(folder)).toEqual([])
})

it('files follow one another without using up the descriptors of the process', () => {
  const lowestFree = () => {
    const descriptor = openSync(import.meta.filename, 'r')
    closeSync(descriptor)
    return descriptor
  }
  const before = lowestFree()
  for (let turn = 0; turn < 20; turn++) {
    using file = new SpillFile(3, folder)
    file.write(Uint32Array.of(1, 2, 3))
  }
  expect(lowestFree()).toBeLessThan(before + 10)
})
