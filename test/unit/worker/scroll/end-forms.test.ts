import { describe, expect, it } from 'vitest'
import { decideEnd, type ReceivedAtEnd } from '../../../../functions/worker/scroll/confirm-end.ts'
import { type OutcomeName, outcomes } from '../../../../functions/worker/scroll/outcomes.ts'
import { documentsOf, simulate } from './simulated-scroll.ts'

/** After 20 unique ids, by the reported total: as many, more, fewer, none and a malformed one. */
const decided = (outcome: OutcomeName | 'end', received = { documents: 25, uniqueIds: 20 } as Counted) =>
  ([20, 21, 19, 'not-reported', 'malformed'] as const).map((total) =>
    decideEnd(outcome, { total, ...received, isEmptyRange: false }),
  )
type Counted = Pick<ReceivedAtEnd, 'documents' | 'uniqueIds'>

describe('a response without documents', () => {
  const no = 'no-end'
  const expected: Partial<Record<OutcomeName | 'end', ReturnType<typeof decided>>> = {
    end: ['confirmed', 'doubtful', 'confirmed', 'doubtful', 'confirmed'],
    'no list': ['confirmed', no, no, no, no],
    'request refused': ['refused', no, no, no, no],
  }
  it.each(['end', ...(Object.keys(outcomes) as OutcomeName[])] as const)(
    'is the end by the reported total: %s',
    (outcome) => expect(decided(outcome)).toEqual(expected[outcome] ?? [no, no, no, no, no]),
  )

  it('may be the end by the number of documents, where the ids are not known', () => {
    const received = { documents: 20, uniqueIds: undefined }
    expect(decided('end', received)).toEqual(['doubtful', 'doubtful', 'doubtful', 'doubtful', 'confirmed'])
    expect(decided('request refused', received)).toEqual(['refused', no, 'refused', no, no])
  })

  it.each<[ReceivedAtEnd, string]>([
    [{ total: 0, documents: 0, uniqueIds: 0, isEmptyRange: true }, 'doubtful'],
    [{ total: 'malformed', documents: 0, uniqueIds: 0, isEmptyRange: true }, 'confirmed'],
    [{ total: 0, documents: 0, uniqueIds: 0, isEmptyRange: false }, 'confirmed'],
  ])('is the end of an empty range when it is confirmed: %j', (received, end) => {
    expect(decideEnd('end', received)).toBe(end)
  })

  it('is counted by ids: a refusal is no end if repeated documents make up for missing ones', async () => {
    const [first, rest] = [documentsOf(3), documentsOf(7).slice(3)]
    const documents = [...first, ...first, ...rest]
    const world = simulate({ documents, total: () => '10', end: { status: 404 } })
    expect(await world.run()).toMatchObject({ kind: 'new-attempt' })
    const equal = simulate({ documents, total: () => '7', end: { status: 404 } })
    expect(await equal.run()).toMatchObject({ kind: 'ended', position: { evidence: 'refused' } })
  })

  it('ends a scroll that the next worker continues after the last page', async () => {
    const world = simulate({ documents: 7, end: { status: 410 }, timeIsUp: (call) => call === 4 })
    expect(await world.run()).toMatchObject({ kind: 'time-is-up' })
    expect(await world.run()).toMatchObject({ kind: 'ended', position: { evidence: 'refused' } })
  })
})
