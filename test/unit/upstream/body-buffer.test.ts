import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BodyBuffer } from '../../../functions/upstream/body-buffer.ts'

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
        for (const chunk of sent) body.append(chunk)
        const expected = Buffer.concat(sent)
        expect(body.length).toBe(expected.length)
        expect(body.bytes().equals(expected)).toBe(true)
        expect(body.bytes().buffer.byteLength).toBe(expected.length)
      }),
    )
  })

  it('takes no more memory than a page needs because of a wrong Content-Length', () => {
    const body = new BodyBuffer('99999999999')
    body.append(Buffer.from('short'))
    expect(body.bytes().toString()).toBe('short')
  })
})
