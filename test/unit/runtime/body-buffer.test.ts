import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BodyBuffer } from '../../../functions/runtime/body-buffer.ts'

describe('a body that is collected', () => {
  const chunks = fc.array(
    fc.uint8Array({ maxLength: 9_000 }).map((bytes) => Buffer.from(bytes)),
    { maxLength: 6 },
  )
  const contentLength = fc.oneof(
    fc.constantFrom(undefined, '0', '99999999999', 'many'),
    fc.nat({ max: 60_000 }).map(String),
  )

  it('is all of its chunks, whatever Content-Length was sent, in memory of its own', () => {
    fc.assert(
      fc.property(chunks, contentLength, (sent, header) => {
        const body = new BodyBuffer(header)
        const expected = Buffer.concat(sent)
        for (const chunk of sent) body.append(Buffer.from(chunk))
        expect(body.length).toBe(expected.length)
        expect(body.bytes().equals(expected)).toBe(true)
        expect(body.bytes().buffer.byteLength).toBe(expected.length)
      }),
    )
  })

  it('frees a chunk that fills its memory, and leaves alone what others use', () => {
    const chunk = Buffer.from(new Uint8Array(60_000).fill(1).buffer)
    const shared = Buffer.from(new Uint8Array(60_000).fill(1).buffer)
    const body = new BodyBuffer('90000')
    body.append(chunk)
    body.append(shared.subarray(0, 30_000))
    expect([chunk.length, shared.length, body.length]).toEqual([0, 60_000, 90_000])
    expect(body.bytes().every((byte) => byte === 1)).toBe(true)
  })

  it('takes no more memory than a page needs because of a wrong Content-Length', () => {
    const body = new BodyBuffer('99999999999')
    body.append(Buffer.from('short'))
    expect(body.bytes().toString()).toBe('short')
  })
})
