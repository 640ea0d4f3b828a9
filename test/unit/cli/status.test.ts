import { expect, it } from 'vitest'
import { statusText } from '../../../cli/commands/status.ts'

type Entity = Parameters<typeof statusText>[0][number]

const range = { where: '(createdIn is null)', documents: 20, total: 40, attempt: 1, suspect: false }
const run = {
  entity: 'CL',
  status: 'running',
  documents: 20,
  total: 80,
  percent: 25,
  attempt: 1,
  reason: null,
  documentsPerSecond: null,
  secondsLeft: null,
  partitions: null,
  partitionsReason: null,
}

const entityWith = (change: Partial<typeof run> | { partitions: readonly (typeof range)[] }) =>
  ({
    entity: 'CL',
    schedule: 'rate(1 day)',
    timezone: 'UTC',
    enabled: true,
    running: { ...run, ...change },
    snapshot: null,
    runs: [],
    next: { kind: 'run', at: new Date(90 * 60_000).toISOString() },
  }) as unknown as Entity

it('shows a bar for each range of a running run, and one for the whole', () => {
  const lines = statusText([entityWith({ partitions: [range] })], 0).split('\n')
  expect(lines[1]).toMatch(/^CL +rate\(1 day\) +- +never +running 25% +in 1 h$/)
  expect(lines[3]).toMatch(/^CL +█+░+ +25% {2}20 of 80$/)
  expect(lines[4]).toMatch(/^CL range 1 +█+░+ +50% {2}20 of 40 {2}\(createdIn is null\)$/)
})

it('shows why a run is scrolled without partitions', () => {
  const partitionsReason = 'The values of the field do not differ.'
  expect(statusText([entityWith({ partitionsReason } as never)], 0)).toContain(
    `\n\nCL: Scrolled without partitions: ${partitionsReason}`,
  )
})

it('shows nothing below the table for runs of one scroll', () => {
  expect(statusText([entityWith({})], 0).split('\n')).toHaveLength(2)
})
