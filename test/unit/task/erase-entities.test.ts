import { describe, expect, it } from 'vitest'
import { endMarginMs } from '../../../functions/runtime/client-limits.ts'
import {
  type Erasure,
  ErasureOutOfTime,
  eraseEntities,
  erasureDays,
  isErasure,
} from '../../../functions/task/erase-entities.ts'
import { timeLimit } from '../../../functions/task/time-limit.ts'
import { createErasurePasses } from '../../../stored/erasure-passes.ts'
import { MemoryDynamoDb } from '../../simulation/stores/memory-dynamodb.ts'

const dayMs = 24 * 3_600_000
const at = (ms: number) => new Date(ms).toISOString()

/** A deployment whose daily task can be invoked. */
class Tasks {
  readonly passes = createErasurePasses(new MemoryDynamoDb(), 'erasedAt')
  readonly logged: object[] = []
  readonly reported: object[] = []
  /** The entities in the order in which erasure began. */
  begun: string[] = []
  now = Date.parse('2026-03-01T00:00:00Z')

  readonly entities: readonly string[]

  constructor(...entities: readonly string[]) {
    this.entities = entities
  }

  run(change: Partial<Erasure> = {}) {
    return eraseEntities({
      versions: { listFolders: async () => [...this.entities] },
      passes: this.passes,
      configured: this.entities,
      log: (level, message, fields) => void this.logged.push({ level, message, ...fields }),
      now: () => this.now,
      checkTime: () => undefined,
      erase: async (entity) => {
        this.begun.push(entity)
        return 2
      },
      report: (erased) => void this.reported.push(erased),
      ...change,
    })
  }

  /** An invocation that has time for this many entities. */
  runFor(entities: number) {
    this.begun = []
    return this.run({
      checkTime: () => {
        if (this.begun.length === entities) throw new ErasureOutOfTime()
      },
    })
  }
}

const failing = (entity: string) =>
  entity === 'AD' ? Promise.reject(new Error('Access denied.')) : Promise.resolve(2)

describe('the daily task', () => {
  it('erases the other entities although one fails, reports what it erased, and fails', async () => {
    const tasks = new Tasks('AD', 'BK', 'CL')
    await expect(tasks.run({ erase: failing })).rejects.toThrow(
      'Erasure failed for AD. The log has the reasons.',
    )
    expect(tasks.logged).toMatchObject([
      { level: 'ERROR', message: 'erasure failed', entity: 'AD', error: { message: 'Access denied.' } },
    ])
    expect(tasks.reported).toEqual([{ entities: 3, versions: 4 }])
    expect(await tasks.passes.read(['AD', 'BK'])).toEqual([undefined, at(tasks.now)])
  })

  it('records when the pass over each entity began: what became too old since is left for the next one', async () => {
    const tasks = new Tasks('A')
    const beganAt = tasks.now
    const erase = async () => {
      tasks.now += 10 * 60_000
      return 1
    }
    await tasks.run({ erase })
    expect(await tasks.passes.read(['A'])).toEqual([at(beganAt)])
  })

  it('records no pass over an entity that was removed and whose items were purged meanwhile', async () => {
    const tasks = new Tasks('A', 'B')
    await tasks.run({ configured: ['B'] })
    expect(await tasks.passes.read(['A', 'B'])).toEqual([undefined, at(tasks.now)])
  })

  it('begins with the entities whose last complete pass is the oldest', async () => {
    const tasks = new Tasks('A', 'B', 'C', 'D')
    const record = (entity: string, beganAt: string) =>
      tasks.passes.record(entity, { beganAt, isConfigured: true })
    await record('A', at(tasks.now - dayMs))
    await record('B', at(tasks.now - 3 * dayMs))
    await record('D', at(tasks.now - 2 * dayMs))
    await tasks.run()
    expect(tasks.begun).toEqual(['C', 'B', 'D', 'A'])
  })

  it('continues where the invocation before it ran out of time, and fails until every entity is done', async () => {
    const tasks = new Tasks('A', 'B', 'C', 'D', 'E')
    await expect(tasks.runFor(3)).rejects.toThrow(
      'Erasure ran out of time before 2 of 5 entities, with which the next invocation begins.',
    )
    expect(tasks.logged).toEqual([
      { level: 'ERROR', message: 'erasure ran out of time', unreached: 2, entities: 5 },
    ])
    expect(tasks.begun).toEqual(['A', 'B', 'C'])
    tasks.now += 60_000
    expect(await tasks.runFor(3)).toMatchObject({ status: 'erased', entities: 5 })
    expect(tasks.begun.slice(0, 2)).toEqual(['D', 'E'])
    tasks.now += dayMs
    await expect(tasks.runFor(4)).rejects.toThrow('before 1 of 5 entities')
  })

  it('does not count an entity in which it ran out of time as complete', async () => {
    const tasks = new Tasks('A')
    await expect(tasks.run({ erase: () => Promise.reject(new ErasureOutOfTime()) })).rejects.toThrow(
      'before 1 of 1 entities',
    )
    expect(await tasks.passes.read(['A'])).toEqual([undefined])
  })

  it.each([
    [{ task: 'erase' }, true],
    [{ task: 'compare' }, false],
    [{ entity: 'CL' }, false],
    [undefined, false],
  ])('is what %j asks for: %s', (event, expected) => expect(isErasure(event)).toBe(expected))

  it('needs eraseWithinDays', () => {
    expect(erasureDays(8)).toBe(8)
    expect(() => erasureDays(undefined)).toThrow('Nothing is erased without eraseWithinDays.')
  })
})

it('a task stops in time to end itself', () => {
  let leftMs = endMarginMs + 1
  const check = timeLimit({ getRemainingTimeInMillis: () => leftMs }, () => new Error('Too large.'))
  expect(check).not.toThrow()
  leftMs--
  expect(check).toThrow('Too large.')
})
