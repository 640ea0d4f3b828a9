import { ftruncateSync, openSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DocumentFile } from '../../../../stored/documents/document-file.ts'
import { openTemporaryFile } from '../../../../stored/documents/temporary-file.ts'

const bufferBytes = 1024 * 1024
const explain = (cause: unknown) => new Error('not written', { cause })
const opened = () => new DocumentFile(openTemporaryFile(), explain)
let file: DocumentFile

beforeEach(() => {
  file = opened()
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
    for (const [number, document] of documents.entries())
      expect(file.read(number).equals(document)).toBe(true)
  })

  it('are readable before later ones are put', () => {
    file.put(Buffer.from('a'))
    expect(String(file.read(0))).toBe('a')
    file.put(Buffer.from('bc'))
    expect([0, 1].map((number) => String(file.read(number)))).toEqual(['a', 'bc'])
  })

  it('cannot be read if their file is cut off', () => {
    const descriptor = openTemporaryFile()
    using short = new DocumentFile(descriptor, explain)
    const number = short.put(Buffer.from('a'))
    expect(String(short.read(number))).toBe('a')
    ftruncateSync(descriptor)
    expect(() => short.read(number)).toThrow('Document 0 of a temporary file is cut off.')
  })
})

it.skipIf(process.platform !== 'linux')('a failed write is explained: the disk is full', () => {
  using full = new DocumentFile(openSync('/dev/full', 'w'), explain)
  full.put(Buffer.from('a'))
  expect(() => full.read(0)).toThrow(
    expect.objectContaining({
      message: 'not written',
      cause: expect.objectContaining({ code: 'ENOSPC' }) as Error,
    }) as Error,
  )
})

it('a failed write is explained: the file is closed', () => {
  const closed = opened()
  closed[Symbol.dispose]()
  closed.put(Buffer.from('a'))
  expect(() => closed.read(0)).toThrow(
    expect.objectContaining({
      cause: expect.objectContaining({ code: 'ERR_OUT_OF_RANGE' }) as Error,
    }) as Error,
  )
})
