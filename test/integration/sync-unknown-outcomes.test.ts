import { describe, expect, it } from 'vitest'
import { onScroll } from '../../local/stand-in/faults.ts'
import { rowsToTry } from '../case-count.ts'
import { entity, platform, prepareEachSync, sent, tokenSemantics, world } from './sync-testbed.ts'

prepareEachSync()

describe('a request whose outcome is unknown', () => {
  const unknownOutcomes = [
    { kind: 'reset', effect: 'after' },
    { kind: 'reset', effect: 'before' },
    { kind: 'status', status: 500, effect: 'after' },
    { kind: 'status', status: 503, effect: 'before' },
    { kind: 'html', effect: 'after' },
    { kind: 'cut', framing: 'length' },
    { kind: 'cut', framing: 'chunked' },
    { kind: 'cut', framing: 'close' },
    { kind: 'body', change: (body: Buffer) => Buffer.from(body.toString().replace('":', '"')) },
  ] as const
  it.each(
    rowsToTry(
      tokenSemantics.flatMap((tokens) =>
        unknownOutcomes.map((fault) => [tokens, fault.kind, fault] as const),
      ),
    ),
  )('lets only a complete snapshot be published (%s, %s)', async (tokens, _, fault) => {
    platform.scroll.tokens = tokens
    platform.faults.add({ match: onScroll({ scroll: 1, request: 4 }), fault })
    const { sync, snapshot } = world()
    expect(await sync(entity)).toMatchObject({ status: 'published', proof: 'exact' })
    expect(new Set((await snapshot(entity)).lines)).toEqual(new Set(sent()))
  })
})
