import { expect, it } from 'vitest'
import { partitionsRemark, runBars } from '../../../../operator/sync/run-bars.ts'

const run = {
  entity: 'CL',
  documents: 60,
  total: 100,
  status: 'running',
  reason: null,
  attempt: 1,
  documentsPerSecond: 1234.5,
  secondsLeft: 90,
  partitions: null,
  partitionsReason: null,
} as const

const remarkOn = (one: Parameters<typeof runBars>[0]) => runBars(one)[0]?.remark

it('shows speed and time left while the run is running', () => {
  expect(remarkOn(run)).toEqual({ state: '', pace: '1,235/s, 90 s left' })
  expect(remarkOn({ ...run, documentsPerSecond: null, secondsLeft: null })).toEqual({ state: '', pace: '' })
})

it('shows why a run waits, and its attempt', () => {
  expect(remarkOn({ ...run, status: 'waiting', reason: 'No free slot.', attempt: 2 })).toEqual({
    state: 'attempt 2, waiting, No free slot.',
    pace: '',
  })
})

it('shows one bar for a run without partitions', () => {
  expect(runBars(run)).toMatchObject([{ title: 'CL', done: 60, total: 100 }])
})

it('shows a bar for the whole run and one for each range, with its attempt and filter', () => {
  const range = { where: '(createdIn is null)', documents: 20, total: 30, attempt: 1, suspect: false }
  const partitions = [range, { ...range, documents: 40, total: null, attempt: 2 }]
  expect(runBars({ ...run, partitions })).toEqual([
    { title: 'CL', done: 60, total: 100, remark: remarkOn(run) },
    { title: 'CL range 1', done: 20, total: 30, remark: { state: '', pace: range.where } },
    { title: 'CL range 2', done: 40, total: null, remark: { state: 'attempt 2', pace: range.where } },
  ])
})

it('shows that a run is scrolled without partitions, and why', () => {
  const partitionsReason = 'The values of the field do not differ.'
  expect(remarkOn({ ...run, partitionsReason })?.state).toBe('without partitions')
  expect(partitionsRemark({ partitionsReason })).toBe(`Scrolled without partitions: ${partitionsReason}`)
  expect(partitionsRemark(run)).toBe('')
})
