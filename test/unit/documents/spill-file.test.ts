import { execFileSync } from 'node:child_process'
import fs, {
  closeSync,
  fstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { SpillFile } from '../../../functions/documents/spill-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'longshore-spill-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe.each([
  ['on the disk', folder],
  ['in memory, if no file can be created', join(folder, 'missing')],
])('blocks that are stored %s', (_, where) => {
  it('can be read in any order and more than once', () => {
    using file = new SpillFile(3, where)
    const block = new Uint32Array(3)
    const blocks = Array.from({ length: 50 }, (_, index) => {
      block.set([index, 2 ** 32 - 1, 0])
      return file.write(block)
    })
    for (const index of [49, 0, 7, 7, 48]) {
      expect([...file.read(blocks[index] ?? -1)]).toEqual([index, 2 ** 32 - 1, 0])
    }
  })

  it('cannot be read after dispose', () => {
    const file = new SpillFile(3, where)
    const index = file.write(Uint32Array.of(1, 2, 3))
    file[Symbol.dispose]()
    file[Symbol.dispose]()
    expect(() => file.read(index)).toThrow(`Block ${index} of a temporary file has 0 bytes instead of 12.`)
  })
})

it('unlinks its file while it is open, so that a crashed process leaves nothing behind', () => {
  using file = new SpillFile(3, folder)
  file.write(Uint32Array.of(1, 2, 3))
  expect(readdirSync(folder)).toEqual([])
})

/** The descriptor that the next file will have. */
function lowestFree(): number {
  const descriptor = openSync(import.meta.filename, 'r')
  closeSync(descriptor)
  return descriptor
}

it('stores its blocks in one file', () => {
  using file = new SpillFile(3, folder)
  const descriptor = lowestFree()
  for (let count = 0; count < 50; count++) file.write(Uint32Array.of(1, 2, 3))
  expect(fstatSync(descriptor).size).toBe(50 * 12)
})

it('closes a file that it cannot unlink, and keeps its blocks in memory', () => {
  vi.spyOn(fs, 'unlinkSync').mockImplementation(() => {
    throw new Error('no permission')
  })
  syncBuiltinESMExports()
  using file = new SpillFile(3, folder)
  const descriptor = lowestFree()
  const index = file.write(Uint32Array.of(1, 2, 3))
  vi.restoreAllMocks()
  syncBuiltinESMExports()
  expect(lowestFree()).toBe(descriptor)
  expect([...file.read(index)]).toEqual([1, 2, 3])
})

it('closes its file descriptor', () => {
  const before = lowestFree()
  for (let count = 0; count < 20; count++) {
    using file = new SpillFile(3, folder)
    file.write(Uint32Array.of(1, 2, 3))
  }
  expect(lowestFree()).toBeLessThan(before + 10)
})

it('keeps a block in memory if the disk accepts only a part of it', () => {
  const spillFile = new URL('../../../functions/documents/spill-file.ts', import.meta.url).href
  const script = `
    import { SpillFile } from '${spillFile}'
    using file = new SpillFile(300)
    const blocks = [1, 2, 3].map((value) => file.write(new Uint32Array(300).fill(value)))
    console.log(blocks.map((index) => new Set(file.read(index)).values().toArray().join()).join(';'))`
  // Shells count blocks of 512 or 1,024 bytes. The file needs 1,200 bytes for its first block.
  const limited = ['-c', 'ulimit -f 1 && exec "$@"', 'sh', process.execPath, '--input-type=module', '--eval']
  expect(execFileSync('sh', [...limited, script], { encoding: 'utf8' })).toBe('1;2;3\n')
})

it('does not use the disk again after its first error', () => {
  const later = join(folder, 'created-later')
  using file = new SpillFile(3, later)
  file.write(Uint32Array.of(1, 2, 3))
  mkdirSync(later)
  const { mtimeNs } = statSync(later, { bigint: true })
  file.write(Uint32Array.of(4, 5, 6))
  expect(statSync(later, { bigint: true }).mtimeNs).toBe(mtimeNs)
})
