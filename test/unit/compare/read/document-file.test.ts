import { openSync } from 'node:fs'
import { constants } from 'node:os'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DocumentFile } from '../../../../functions/compare/read/document-file.ts'

const bufferBytes = 1024 * 1024
let file: DocumentFile

beforeEach(() => {
  file = new DocumentFile()
})
afterEach(() => file[Symbol.dispose]())

describe('the documents that are kept on disk', () => {
  it.each([
    ['small', [3, 0, 5]],
    ['as large as the buffer', [bufferBytes, bufferBytes, 1]],
    ['exactly filling the buffer', [bufferBytes - 10, 10, 10]],
    ['larger than the rest of the buffer', [bufferBytes - 10, 11, 10]],
    ['larger than the buffer', [10, bufferBytes + 1, 20, 2 * bufferBytes, 30]],
  ])('are read by their numbers: %s', (_, sizes) => {
    const documents = sizes.map((bytes, at) => Buffer.alloc(bytes, String(at)))
    expect(documents.map((document) => file.put(document))).toEqual([...documents.keys()])
    file.flush()
    for (const [number, document] of documents.entries())
      expect(file.read(number).equals(document)).toBe(true)
  })

  it('are readable before later ones are put', () => {
    file.put(Buffer.from('a'))
    file.flush()
    expect(String(file.read(0))).toBe('a')
    file.put(Buffer.from('bc'))
    file.flush()
    expect([0, 1].map((number) => String(file.read(number)))).toEqual(['a', 'bc'])
  })

  it('cannot be read before they are written', () => {
    const number = file.put(Buffer.from('a'))
    expect(() => file.read(number)).toThrow('Document 0 of a temporary file is cut off.')
  })
})

it.skipIf(process.platform !== 'linux')('a comparison fails with a reason if the disk is full', () => {
  using full = new DocumentFile(openSync('/dev/full', 'w'))
  full.put(Buffer.from('a'))
  expect(() => full.flush()).toThrow(
    expect.objectContaining({
      name: 'ComparisonFailed',
      kind: 'too-large',
      message: expect.stringMatching(/^The temporary storage is full: .*_fields.*changes: false/) as string,
      cause: expect.objectContaining({ code: 'ENOSPC' }) as Error,
    }) as Error,
  )
})

it.each([
  ['no space is left', { errno: -constants.errno.ENOSPC }, true],
  // Node has no name for this error.
  ['the quota is used up', { errno: -constants.errno.EDQUOT, code: 'Unknown system error -122' }, true],
  ['the disk fails', { errno: -constants.errno.EIO }, false],
  ['the error is not one of the system', { code: 'ERR_OUT_OF_RANGE' }, false],
])('the storage counts as full only if a write reports it: %s', (_, error, isFull) => {
  const cause = Object.assign(new Error('failed'), error)
  using failing = new DocumentFile(undefined, () => {
    throw cause
  })
  failing.put(Buffer.from('a'))
  const expected = isFull ? { kind: 'too-large', cause } : cause
  expect(() => failing.flush()).toThrow(expect.objectContaining(expected) as Error)
})

it('a file that cannot be written for another reason is an error of ours', () => {
  const closed = new DocumentFile()
  closed[Symbol.dispose]()
  closed.put(Buffer.from('a'))
  expect(() => closed.flush()).toThrow(expect.objectContaining({ code: 'ERR_OUT_OF_RANGE' }) as Error)
})
