import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { decodeResponse } from '../../../functions/http/decode-response.ts'

const page = Buffer.from('[{"id":"1"}]')
const response = (body: Buffer, coding?: string) => ({
  status: 200,
  headers: coding === undefined ? {} : { 'content-encoding': coding },
  body,
})
const bodyOf = (given: Buffer, coding?: string, maxBytes = 100) =>
  String(decodeResponse(response(given, coding), maxBytes).body)

describe('the body of a scroll response', () => {
  it.each([
    ['gzip', gzipSync(page)],
    [' GZip ', gzipSync(page)],
    ['x-gzip', gzipSync(page)],
    ['deflate', deflateSync(page)],
    ['deflate', deflateRawSync(page)],
    ['br', brotliCompressSync(page)],
    ['zstd', zstdCompressSync(page)],
    ['gzip, br', brotliCompressSync(gzipSync(page))],
    ['identity', page],
    [undefined, page],
  ])('is decoded from %j', (coding, given) => {
    expect(bodyOf(given, coding)).toBe(String(page))
  })

  it.each([
    ['truncated', gzipSync(page).subarray(0, 20), 'gzip'],
    ['not what the header names', page, 'gzip'],
    ['in an unknown coding', page, 'compress'],
  ])('stays as it is if it is %s', (_, given, coding) => {
    expect(bodyOf(given, coding)).toBe(String(given))
  })

  it('never expands beyond the limit', () => {
    const bomb = gzipSync(Buffer.alloc(101))
    expect(bodyOf(bomb, 'gzip')).toBe(String(bomb))
    expect(bodyOf(bomb, 'gzip', 101).length).toBe(101)
  })

  it('is the end of a scroll if it is empty, whatever its coding', () => {
    expect(bodyOf(Buffer.alloc(0), 'gzip')).toBe('')
  })
})
