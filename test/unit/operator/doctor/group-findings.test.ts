import { expect, it } from 'vitest'
import { entity, facts, findingsIn } from './healthy-facts.ts'

const names = (count: number) => Array.from({ length: count }, (_, index) => `E${index}`)
const about = (changes: readonly object[]) =>
  findingsIn(facts({ entities: { value: changes.map((change) => ({ ...entity, ...change })) } }))
    .filter((finding) => finding.about === 'entities')
    .map(({ level, text, command }) => [level, text, ...(command ? [command] : [])].join(' | '))

const unsynced = (name: string) => ({ entity: name, snapshot: null, runs: [] })

it('entities that were never synced are one finding, with one command, if there are many', () => {
  expect(about(names(12).map(unsynced))).toEqual([
    'problem | 12 entities (E0, E1, E2 and 9 more) have no snapshot yet. | npx --no-install longshore sync --all --watch',
  ])
  expect(about(names(5).map(unsynced))).toHaveLength(5)
})

it('fresh entities are one finding if there are many, and the others keep theirs', () => {
  const failed = {
    ...unsynced('BAD'),
    runs: [{ ...entity.runs[0], status: 'failed', reason: 'The platform is down.' }],
  }
  const fresh = names(47).map((name) => ({ entity: name }))
  const [first = '', second = '', ...rest] = about([...fresh.slice(0, 9), failed, ...fresh.slice(9)])
  expect(first).toBe(
    'ok | 47 entities (E0, E1, E2 and 44 more) are published and as recent as their schedules require.',
  )
  expect(second).toMatch(/^problem \| No snapshot of BAD has been published\. The last run failed/)
  expect(rest).toEqual([])
})

it('recent windows of increments are one finding if there are many', () => {
  const { now } = facts({})
  const at = (minutes: number) => new Date(now - minutes * 60_000).toISOString()
  const increments = {
    schedule: 'rate(5 minutes)',
    lookbackMinutes: 60,
    window: { from: at(70), to: at(5) },
    ageSeconds: 300,
    recordsLastDay: 1,
    last: { runId: 'r', status: 'published', reason: null, endedAt: at(5) },
  }
  const value = names(6).map((name) => ({ entity: name, increments, publishedAt: at(100), audit: {} }))
  const texts = findingsIn(facts({ increments: { value } })).map(({ text }) => text)
  expect(texts.filter((text) => text.includes('increment windows'))).toEqual([
    'The last increment windows of 6 entities (E0, E1, E2 and 3 more) are recent.',
  ])
})
