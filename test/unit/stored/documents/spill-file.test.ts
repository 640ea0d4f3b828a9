import { execFileSync } from 'node:child_process'
import fs, { fstatSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { SpillFile } from '../../../../stored/documents/entries.ts'
import { temporaryFolder } from '../../../temporary-folder.ts'

const folder = temporaryFolder()

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

describe('the descriptor of its file', () => {
  // Other threads open files too, so only the calls of this thread show which files are its own.
  const opened = vi.spyOn(fs, 'openSync')
  const closed = vi.spyOn(fs, 'closeSync')
  const descriptor = () => opened.mock.results[0]?.value as number

  beforeEach(() => {
    opened.mockClear()
    closed.mockClear()
    syncBuiltinESMExports()
  })
  afterAll(() => {
    vi.restoreAllMocks()
    syncBuiltinESMExports()
  })

  it('is the same for all blocks', () => {
    using file = new SpillFile(3, folder)
    for (let count = 0; count < 50; count++) file.write(Uint32Array.of(1, 2, 3))
    expect(opened).toHaveBeenCalledOnce()
    expect(fstatSync(descriptor()).size).toBe(50 * 12)
  })

  it('is closed with it', () => {
    const file = new SpillFile(3, folder)
    file.write(Uint32Array.of(1, 2, 3))
    expect(closed).not.toHaveBeenCalled()
    file[Symbol.dispose]()
    expect(closed.mock.calls).toEqual([[descriptor()]])
  })

  it('is closed if the file cannot be unlinked, and its blocks are kept in memory', () => {
    const unlink = vi.spyOn(fs, 'unlinkSync').mockImplementation(() => {
      throw new Error('no permission')
    })
    syncBuiltinESMExports()
    using file = new SpillFile(3, folder)
    const index = file.write(Uint32Array.of(1, 2, 3))
    unlink.mockRestore()
    syncBuiltinESMExports()
    expect(closed.mock.calls).toEqual([[descriptor()]])
    expect([...file.read(index)]).toEqual([1, 2, 3])
  })
})

it('keeps a block in memory if the disk accepts only a part of it', () => {
  const spillFile = new URL('../../../../stored/documents/entries.ts', import.meta.url).href
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
