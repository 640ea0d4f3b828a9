import { randomBytes } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { compressedFor } from '../../../functions/http/result.ts'

const headers = { 'content-type': 'text/plain' }
const varied = { ...headers, vary: 'accept-encoding' }

describe('the representation for a caller', () => {
  const letters = (length: number) => Buffer.alloc(length, 'x')

  it.each<[string, number, string | undefined, Record<string, string>]>([
    ['is plain up to 1 KB', 1024, 'gzip', headers],
    ['is gzip above 1 KB', 1025, 'gzip', { ...varied, 'content-encoding': 'gzip' }],
    ['is plain for a caller that does not accept gzip', 1025, undefined, varied],
    ['is gzip for a caller that refuses a plain body', 2, 'gzip, identity;q=0', gzipHeaders()],
    ['is plain if the caller refuses every coding', 2, 'gzip;q=0, identity;q=0', varied],
    ['is plain for an empty body', 0, 'gzip, identity;q=0', headers],
  ])('%s', async (_, ...[length, accept, expected]) => {
    const body = letters(length)
    const result = await compressedFor(accept, { headers, body })
    expect(result.headers).toEqual(expected)
    const isGzip = 'content-encoding' in result.headers
    expect(isGzip ? gunzipSync(result.body) : result.body).toEqual(body)
  })

  function gzipHeaders() {
    return { ...varied, 'content-encoding': 'gzip' }
  }

  /** Bytes that gzip cannot compress, followed by letters until the gzip file has the size of the body. */
  function asLargeAsItsGzip(): Buffer {
    const noise = randomBytes(2000)
    for (let length = 0; length < 200; length++) {
      const body = Buffer.concat([noise, letters(length)])
      if (gzipSync(body).length === body.length) return body
    }
    throw new Error('No body is as large as its gzip file.')
  }

  it('is plain if gzip does not make the body smaller', async () => {
    const body = asLargeAsItsGzip()
    expect(await compressedFor('gzip', { headers, body })).toEqual({ headers: varied, body })
    const required = await compressedFor('gzip, identity;q=0', { headers, body })
    expect(required.headers).toEqual(gzipHeaders())
  })
})
