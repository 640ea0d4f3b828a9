import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createBufferPool } from '../../../functions/worker/page/buffer-pool.ts'

const apart = (one: Buffer, other: Buffer) =>
  one.buffer !== other.buffer ||
  one.byteOffset + one.length <= other.byteOffset ||
  other.byteOffset + other.length <= one.byteOffset

it('never lends the same bytes twice at once', () => {
  const step = fc.oneof(
    fc.record({ lend: fc.integer({ min: 1, max: 300_000 }) }),
    fc.record({ back: fc.nat(5), twice: fc.boolean() }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const pool = createBufferPool()
      const lent: Buffer[] = []
      const right: boolean[] = []
      for (const one of steps) {
        if ('lend' in one) {
          const buffer = pool.lend(one.lend)
          right.push(buffer.length === one.lend && lent.every((other) => apart(buffer, other)))
          lent.push(buffer)
        } else {
          const [buffer] = lent.splice(one.back, 1)
          if (buffer) pool.takeBack(buffer)
          if (buffer && one.twice) pool.takeBack(buffer)
        }
      }
      expect(right).not.toContain(false)
    }),
  )
})

it('uses again what came back, and lets go of what has become too small', () => {
  const pool = createBufferPool()
  const first = pool.lend(100_000)
  pool.takeBack(first)
  const again = pool.lend(90_000)
  expect(again.buffer).toBe(first.buffer)
  pool.takeBack(again)
  pool.takeBack(pool.lend(200_000))
  expect([pool.lend(90_000), pool.lend(90_000)].map(({ buffer }) => buffer)).not.toContain(first.buffer)
})

it('keeps its buffers for pages, whatever small bodies come between', () => {
  const pool = createBufferPool()
  const page = pool.lend(100_000)
  pool.takeBack(page)
  expect(pool.lend(2).length).toBe(2)
  expect(pool.lend(100_000).buffer).toBe(page.buffer)
})

it('leaves alone what it did not lend', () => {
  const pool = createBufferPool()
  const foreign = Buffer.alloc(100_000)
  pool.takeBack(foreign)
  expect(pool.lend(90_000).buffer).not.toBe(foreign.buffer)
})
