import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { withoutCoding } from '../../../functions/worker/scroll/plain-answer.ts'

const page = Buffer.from('[{"id":"1"}]')
const answer = (body: Buffer, coding?: string) => ({
  status: 200,
  headers: coding === undefined ? {} : { 'content-encoding': coding },
  body,
})
const body = (given: Buffer, coding?: string, most = 100) =>
  String(withoutCoding(answer(given, coding), most).body)

describe('the coding of an answer', () => {
  it.each([
    ['gzip', gzipSync(page)],
    [' GZip ', gzipSync(page)],
    ['x-gzip', gzipSync(page)],
    ['deflate', deflateSync(page)],
    ['br', brotliCompressSync(page)],
    ['identity', page],
    [undefined, page],
  ])('%j is taken off', (coding, given) => {
    expect(body(given, coding)).toBe(String(page))
  })

  it.each([
    ['is cut off', gzipSync(page).subarray(0, 20), 'gzip'],
    ['is a lie', page, 'gzip'],
    ['is not known', page, 'zstd'],
  ])('that %s leaves the body as it came', (_, given, coding) => {
    expect(body(given, coding)).toBe(String(given))
  })

  it('does not fill the memory', () => {
    const bomb = gzipSync(Buffer.alloc(101))
    expect(body(bomb, 'gzip')).toBe(String(bomb))
    expect(body(bomb, 'gzip', 101).length).toBe(101)
  })

  it('does not matter where there is no body: that is the end', () => {
    expect(body(Buffer.alloc(0), 'gzip')).toBe('')
  })
})
