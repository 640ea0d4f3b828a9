import { describe, expect, it } from 'vitest'
import type { Looks, Outbox } from '../../../functions/alerts/outbox.ts'
import { addChanges, emptyOutbox, withoutOld } from '../../../functions/alerts/outbox.ts'
import type { OpenProblem } from '../../../functions/problems/problem-events.ts'
import { open, opened, resolved } from './problems.ts'

const time = '2026-03-01T06:00:00.000Z'
const problem = open()
const note = open({ level: 'note' })
const knows = (...reported: string[]): Outbox => ({ ...emptyOutbox, reported })
const named = ({ pending }: Outbox) =>
  pending.map(({ event, problem: { level, kind, entity } }) => `${event} ${level} ${kind} ${entity}`)

const afterLook = (outbox: Outbox, looks: Partial<Looks>, notes = false) =>
  addChanges(outbox, { before: [], after: [], time, ...looks }, { notes })

describe('a receiver is told', () => {
  const known = knows('run-failed CL')
  const told = ['opened problem run-failed CL']
  const ended = ['resolved problem run-failed CL']

  it.each<
    [what: string, Outbox, before: OpenProblem[], after: OpenProblem[], string[], withNotes?: string[]]
  >([
    ['a problem that opened', emptyOutbox, [], [problem], told],
    ['nothing of a problem that stays', known, [problem], [open({ evidence: 'More.' })], []],
    ['that a problem is over', known, [problem], [], ended],
    ['every open problem, if it is new', emptyOutbox, [problem], [problem], told],
    ['a note only if it wants notes', emptyOutbox, [], [note], [], ['opened note run-failed CL']],
    ['no end of what it was not told', emptyOutbox, [note], [], []],
    ['the end of a problem that became a note', known, [note], [], ['resolved note run-failed CL']],
    ['a note that becomes a problem, again', known, [note], [problem], told],
  ])('%s', (...[, outbox, before, after, withoutNotes, withNotes = withoutNotes]) => {
    expect(named(afterLook(outbox, { before, after }))).toEqual(withoutNotes)
    expect(named(afterLook(outbox, { before, after }, true))).toEqual(withNotes)
  })

  it('the problem with the id of its events, and when the look found it', () => {
    const { pending } = afterLook(emptyOutbox, { after: [problem] })
    expect(pending).toEqual([{ event: 'opened', time, problem }])
  })

  it('the end of a problem that stays open for several looks', () => {
    let outbox = afterLook(emptyOutbox, { after: [problem] })
    outbox = afterLook({ ...outbox, pending: [] }, { before: [problem], after: [note] })
    expect(named(outbox)).toEqual([])
    expect(named(afterLook(outbox, { before: [note], after: [] }))).toEqual(['resolved note run-failed CL'])
  })
})

describe('what is not yet delivered', () => {
  it('is kept, with its end', () => {
    const first = afterLook(emptyOutbox, { after: [problem] })
    expect(named(afterLook(first, { before: [problem] }))).toEqual([
      'opened problem run-failed CL',
      'resolved problem run-failed CL',
    ])
  })

  it('is there once if a look found it again because nothing else of the last one was stored', () => {
    const first = afterLook(emptyOutbox, { after: [problem] })
    const again = open({ id: 'another' })
    expect(afterLook(first, { after: [again] }).pending).toEqual([{ event: 'opened', time, problem: again }])
  })

  it('is there once if a note became a problem', () => {
    const first = afterLook(emptyOutbox, { after: [note] }, true)
    expect(named(afterLook(first, { before: [note], after: [problem] }, true))).toEqual([
      'opened problem run-failed CL',
    ])
  })

  it('fits into an item of the table: the rest is counted', () => {
    const after = Array.from({ length: 400 }, (_, index) =>
      open({ entity: `E${index}`, evidence: 'é'.repeat(1_000) }),
    )
    const outbox = afterLook(emptyOutbox, { after })
    expect(outbox.pending.length + outbox.left).toBe(400)
    expect(outbox.pending[0]?.problem.entity).toBe('E0')
    expect(Buffer.byteLength(JSON.stringify(outbox))).toBeLessThan(300_000)
    expect(outbox.left).toBeGreaterThan(250)
    expect(outbox.reported).toHaveLength(400)
  })

  it('is dropped after a day', () => {
    const pending = [
      opened(problem, '2026-03-01T06:00:00.000Z'),
      resolved(problem, '2026-03-01T06:05:00.000Z'),
    ]
    const outbox = { ...emptyOutbox, reported: ['x'], pending, left: 3 }
    const keptAt = (at: string) => withoutOld(outbox, Date.parse(at))
    expect(keptAt('2026-03-02T05:59:59.000Z')).toEqual(outbox)
    expect(keptAt('2026-03-02T06:00:00.000Z')).toEqual({ ...outbox, pending: pending.slice(1) })
    // It is told when the receiver accepts again.
    const stillOpen = { ...outbox, reported: ['run-failed CL'] }
    expect(withoutOld(stillOpen, Date.parse('2026-03-05T06:00:00.000Z'))).toEqual({
      ...stillOpen,
      pending: pending.slice(0, 1),
    })
    expect(keptAt('2026-03-02T06:05:00.000Z')).toEqual({ ...emptyOutbox, reported: ['x'] })
  })
})
