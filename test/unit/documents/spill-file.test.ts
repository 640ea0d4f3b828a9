import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { SpillFile } from '../../../functions/documents/spill-file.ts'

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

it('a block that the disk took a part of is kept in memory, whole', () => {
  const spillFile = new URL('../../../functions/documents/spill-file.ts', import.meta.url).href
  const script = `
    import { SpillFile } from '${spillFile}'
    using file = new SpillFile(300)
    const places = [1, 2, 3].map((value) => file.write(new Uint32Array(300).fill(value)))
    console.log(places.map((place) => new Set(file.read(place)).values().toArray().join()).join(';'))`
  // A file of 1 or 2 blocks of 512 bytes at most, by what the shell takes for a block; 1,200 bytes are wanted.
  const limited = ['-c', 'ulimit -f 1 && exec "$@"', 'sh', process.execPath, '--input-type=module', '--eval']
  expect(execFileSync('sh', [...limited, script], { encoding: 'utf8' })).toBe('1;2;3\n')
})

it('after the disk failed once it is left alone, however long the scroll', () => {
  const later = join(folder, 'comes-later')
  using file = new SpillFile(3, later)
  file.write(Uint32Array.of(1, 2, 3))
  mkdirSync(later)
  const { mtimeNs } = statSync(later, { bigint: true })
  file.write(Uint32Array.of(4, 5, 6))
  expect(statSync(later, { bigint: true }).mtimeNs).toBe(mtimeNs)
})
