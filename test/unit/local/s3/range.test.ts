import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { wantedBytes } from '../../../../local/embedded/s3/range.ts'

const part = (first: number, last: number) => ({ kind: 'part', first, last })
const whole = { kind: 'whole' }
const unsatisfiable = { kind: 'unsatisfiable' }

describe('the bytes of an object that a request wants', () => {
  it.each([
    [undefined, 10, whole],
    ['bytes=0-0', 10, part(0, 0)],
    ['bytes=2-5', 10, part(2, 5)],
    ['bytes=2-', 10, part(2, 9)],
    ['bytes=2-100', 10, part(2, 9)],
    ['bytes=-3', 10, part(7, 9)],
    ['bytes=-1000000', 10, part(0, 9)],
    ['bytes=-0', 10, unsatisfiable],
    ['bytes=10-', 10, unsatisfiable],
    ['bytes=10-12', 10, unsatisfiable],
    ['bytes=0-', 0, unsatisfiable],
    ['bytes=-5', 0, unsatisfiable],
    // RFC 9110: a malformed range is ignored. S3 ignores several ranges.
    ['bytes=5-2', 10, whole],
    ['bytes=-', 10, whole],
    ['bytes=a-b', 10, whole],
    ['bytes=0-1,3-4', 10, whole],
    ['lines=0-1', 10, whole],
  ])('are, for %s of %i bytes, %o', (range, size, wanted) => expect(wantedBytes(range, size)).toEqual(wanted))

  it('are those whose positions fit', () => {
    const position = fc.option(fc.nat({ max: 30 }), { nil: undefined })
    fc.assert(
      fc.property(position, position, fc.nat({ max: 20 }), (from, to, size) => {
        fc.pre(from !== undefined || to !== undefined)
        fc.pre(from === undefined || to === undefined || from <= to)
        const fits = (at: number) =>
          from === undefined ? at >= size - (to ?? 0) : at >= from && at <= (to ?? size)
        const bytes = Array.from({ length: size }, (_, at) => at).filter(fits)
        const wanted = wantedBytes(`bytes=${from ?? ''}-${to ?? ''}`, size)
        expect(wanted).toEqual(bytes.length > 0 ? part(bytes[0] ?? -1, bytes.at(-1) ?? -1) : unsatisfiable)
      }),
    )
  })
})
