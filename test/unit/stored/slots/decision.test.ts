import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Slots } from '../../../../stored/slots/hand-over.ts'
import { decideSlots, type SlotRequest } from '../../../../stored/slots/slot-decision.ts'

const now = 1_000
const until = 2_000

/** Slots written as `a0` for range 0 of the run a, with the time until which they are taken if it is not 1,500. */
function slots(owners: string, waiting = ''): Slots {
  const entries = (text: string) => text.split(' ').filter(Boolean)
  return {
    owners: entries(owners).map((entry) => {
      const [, runId = '', range, time = '1500'] = /^([a-z])(\d+)(?:=(\d+))?$/.exec(entry) ?? []
      return { runId, range: Number(range), until: Number(time) }
    }),
    waiting: entries(waiting).map((entry) => {
      const [runId = '', time = '1500'] = entry.split('=')
      return { runId, until: Number(time) }
    }),
  }
}

const claim = (wanted: string, count: number) => {
  const { owners } = slots(wanted)
  const ranges = owners.map(({ range }) => range)
  return { runId: owners[0]?.runId ?? '', ranges, count, now, until }
}
const take = (wanted: string, count = 3, scrolling = [0, 1]): SlotRequest => ({
  kind: 'take',
  scrolling,
  ...claim(wanted, count),
})
const renew = (wanted: string, count = 3): SlotRequest => ({ kind: 'renew', ...claim(wanted, count) })

/** What is written, as `slots` reads it, or how the request ends without a write. */
function decided(stored: Slots, request: SlotRequest, first?: Slots): string {
  const decision = decideSlots(stored, request, first)
  if (decision.kind !== 'write') return decision.kind
  const time = ({ until: at }: { until: number }) => (at === 1500 ? '' : `=${at}`)
  const owners = decision.slots.owners.map((slot) => `${slot.runId}${slot.range}${time(slot)}`)
  const waiting = decision.slots.waiting.map((run) => `${run.runId}${time(run)}`)
  return [owners.join(' '), ...(waiting.length > 0 ? [waiting.join(' ')] : [])].join(' | ')
}

it.each<[string, Slots, SlotRequest, string]>([
  ['takes the first slot', slots(''), take('a0'), 'a0=2000'],
  ['takes the last slot', slots('b0 c0'), take('a0'), 'b0 c0 a0=2000'],
  ['is refused if all are taken', slots('b0 c0 d0'), take('a0'), 'refused'],
  ['takes one that has expired', slots('b0 c0=1000 d0'), take('a0'), 'b0 d0 a0=2000'],
  ['takes the one that expired first of all', slots('b0=9 c0=8'), take('a0', 2), 'c0=8 a0=2000'],
  ['leaves an expired one to its owner while others are free', slots('b0=9'), take('a0'), 'b0=9 a0=2000'],
  ['is refused one millisecond before one expires', slots('b0 c0=1001 d0'), take('a0'), 'refused'],
  ['extends its own', slots('a0 b0'), take('a0'), 'b0 a0=2000'],
  ['shortens its own if the clock of the previous worker was ahead', slots('a0=9000'), take('a0'), 'a0=2000'],
  ['extends its own although it has expired', slots('b0 a0=900'), take('a0'), 'b0 a0=2000'],
  ['does not take a slot for another one of its ranges', slots('a0 b0'), take('a1'), 'a0 b0 a1=2000'],
  ['keeps its own beyond a lowered count', slots('a0 b0 c0'), take('c0', 1), 'a0 b0 c0=2000'],
  ['is refused beyond a lowered count', slots('a0 b0'), take('c0', 1), 'refused'],
  ['is refused its own expired one beyond a lowered count', slots('a0 b0 c0=9'), take('c0', 2), 'refused'],
  ['takes no further one while another run waits', slots('a0', 'b'), take('a1'), 'refused'],
  ['takes a further one if the other run no longer waits', slots('a0', 'b=1000'), take('a1'), 'a0 a1=2000'],
  ['takes its first one while another run waits', slots('a0', 'b'), take('c0'), 'a0 c0=2000 | b'],
  ['takes its first one although it waited', slots('a0', 'b c'), take('b0'), 'a0 b0=2000 | c'],
  ['takes a further one although it waits', slots('a0', 'a'), take('a1'), 'a0 a1=2000'],
  ['takes no further one if its others have expired', slots('a0=9', 'b'), take('a1'), 'refused'],
  ['does not take its own for another one of its ranges', slots('a0=9'), take('a1', 1), 'refused'],
  ['takes that of another run', slots('a0=9 b0=9'), take('a1', 2), 'a0=9 a1=2000'],
  ['frees what a worker that is gone left', slots('a0 b0'), take('a1', 2, []), 'b0 a1=2000'],
  ['extends its own while another run waits', slots('a0 a1', 'b'), take('a1'), 'a0 a1=2000 | b'],
  ['renews all ranges at once', slots('a0 b0 a1'), renew('a0 a1'), 'b0 a0=2000 a1=2000'],
  ['renews no range that it does not name', slots('a0 a1'), renew('a0'), 'a1 a0=2000'],
  ['renews beyond a lowered count', slots('a0 b0 a1'), renew('a0 a1', 1), 'b0 a0=2000 a1=2000'],
  ['renews while another run waits', slots('a0 a1', 'b'), renew('a0 a1'), 'a0=2000 a1=2000 | b'],
  ['renews what has expired if it is free', slots('a0=9 b0'), renew('a0', 2), 'b0 a0=2000'],
  ['renews what has expired while another run waits', slots('a0=9 a1', 'b'), renew('a0'), 'a1 a0=2000 | b'],
  ['does not renew what has expired if others have all', slots('a0=9 b0 c0'), renew('a0', 2), 'refused'],
  ['renews none if one has expired and others have all', slots('a0=9 a1 b0'), renew('a0 a1', 2), 'refused'],
  ['does not renew what was released', slots('b0'), renew('a0'), 'refused'],
  ['renews none if one of them was released', slots('a0'), renew('a0 a1'), 'refused'],
  ['releases one range', slots('a0 a1 b1', 'a'), { kind: 'release', runId: 'a', ranges: [1] }, 'a0 b1 | a'],
  ['releases nothing of other runs', slots('b0'), { kind: 'release', runId: 'a', ranges: [0] }, 'granted'],
  ['releases a run', slots('a0 b0 a1', 'b a'), { kind: 'release-run', runId: 'a' }, 'b0 | b'],
  ['releases a run that only waits', slots('b0', 'a'), { kind: 'release-run', runId: 'a' }, 'b0'],
  ['releases a run that has nothing', slots('b0', 'b'), { kind: 'release-run', runId: 'a' }, 'granted'],
  ['waits', slots('b0', 'c'), { kind: 'wait', runId: 'a', until }, 'b0 | c a=2000'],
  ['waits longer', slots('b0', 'a c'), { kind: 'wait', runId: 'a', until }, 'b0 | c a=2000'],
])('a request for slots %s', (...[, stored, request, expected]) =>
  expect(decided(stored, request)).toBe(expected),
)

const release = { kind: 'release', runId: 'a', ranges: [0] } as const
const wait = { kind: 'wait', runId: 'a', until } as const
it.each<[string, first: string, stored: string, SlotRequest, string]>([
  ['is made again if only others were written', 'a0', 'a0 b0', take('a0'), 'b0 a0=2000'],
  ['is refused if others took all', 'b0 c0', 'b0 c0 d0', take('a0'), 'refused'],
  ['does not shorten what a newer worker wrote', 'a0', 'a0=9000', take('a0'), 'granted'],
  ['is its own, whose response was lost', '', 'a0=2000 b0', take('a0'), 'granted'],
  ['replaces an expired time that an older worker wrote', 'a0', 'a0=900', take('a0'), 'a0=2000'],
  ['does not revive what was released', 'a0', '', take('a0'), 'refused'],
  ['renews what only others changed', 'a0 a1', 'a0 a1 b0', renew('a0 a1'), 'b0 a0=2000 a1=2000'],
  ['was renewed, and its response was lost', 'a0 a1', 'a0=2000 a1=2000', renew('a0 a1'), 'granted'],
  ['does not renew what was released', 'a0 a1', 'a0', renew('a0 a1'), 'refused'],
  ['does not release what a newer worker took', 'a0', 'a0=2000', release, 'granted'],
  ['releases what only others changed', 'a0', 'a0 b0', release, 'b0'],
  ['releases a run whose worker took more', '', 'a0 b0', { kind: 'release-run', runId: 'a' }, 'b0'],
  ['waits if only others changed', '', 'b0 | b', wait, 'b0 | b a=2000'],
  ['does not shorten the wait of a newer worker', '| a', '| a=9000', wait, 'granted'],
  ['does not wait if a newer worker took the slot', '| a', 'a0', wait, 'granted'],
])(
  'a request for slots that were written since it read them first %s',
  (...[, first, stored, request, expected]) => {
    const read = (text: string) => slots(...(text.split('|') as [string, string?]))
    expect(decided(read(stored), request, read(first))).toBe(expected)
  },
)

const runId = fc.constantFrom('a', 'b', 'c', 'd')
const range = fc.integer({ min: 0, max: 3 })
const step = fc.record({
  runId,
  ranges: fc.uniqueArray(range, { minLength: 1, maxLength: 4 }),
  scrolling: fc.uniqueArray(range),
  kind: fc.constantFrom('take', 'take', 'take', 'renew', 'release', 'release-run', 'wait'),
  /** Since the previous request; less than 0 if this worker's clock is behind. */
  laterMs: fc.integer({ min: -50, max: 400 }),
  count: fc.integer({ min: 1, max: 4 }),
  /** How many writes ago the request read the slots. */
  lateBy: fc.constantFrom(0, 0, 0, 1, 2),
})
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

function requestOf({ kind, count, ...one }: Step, at: number): SlotRequest {
  const times = { now: at, until: at + 300 }
  if (kind === 'release') return { kind, runId: one.runId, ranges: one.ranges }
  if (kind === 'release-run') return { kind, runId: one.runId }
  if (kind === 'wait') return { kind, runId: one.runId, until: at + 300 }
  if (kind === 'renew') return { kind, runId: one.runId, ranges: one.ranges, count, ...times }
  return { ...one, kind: 'take', ranges: one.ranges.slice(0, 1), count, ...times }
}

/** What a request at the time `at` must not do to the slots. */
function problems(
  [before, after]: readonly [Slots, Slots],
  { runId: by, kind, count }: Step,
  at: number,
): string[] {
  const isLive = (entry: { until: number }) => entry.until > at
  const live = before.owners.filter(isLive)
  const liveAfter = after.owners.filter(isLive)
  const keys = after.owners.map((slot) => `${slot.runId}${slot.range}`)
  const lost = live.filter((slot) => slot.runId !== by && !after.owners.includes(slot))
  const hasOther = live.some((slot) => slot.runId === by)
  const othersWait = before.waiting.some((run) => run.runId !== by && isLive(run))
  const isOneMore = kind === 'take' && liveAfter.length > live.length
  return [
    ...(new Set(keys).size < keys.length ? ['A range has two slots.'] : []),
    ...(liveAfter.length > Math.max(count, live.length) ? ['There are more than allowed.'] : []),
    ...(lost.length > 0 ? ['A run lost a slot that has not expired.'] : []),
    ...(isOneMore && hasOther && othersWait ? ['A run took a further slot while another one waits.'] : []),
  ]
}

it('any sequence of requests keeps as many slots as are allowed, each with one owner, and gives none to a run before those that wait', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const written: Slots[] = [slots('')]
      let at = 10_000
      for (const one of steps) {
        at += one.laterMs
        const stored = written.at(-1) ?? slots('')
        const first = written.at(-1 - one.lateBy) ?? stored
        const decision = decideSlots(stored, requestOf(one, at), first)
        const next = decision.kind === 'write' ? decision.slots : stored
        expect(problems([stored, next], one, at)).toEqual([])
        written.push(next)
      }
    }),
  )
})
