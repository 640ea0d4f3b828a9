import { describe, expect, it } from 'vitest'
import { configuredEntity } from '../../../functions/http/result.ts'
import type { Ending } from '../../../functions/task/report.ts'
import { carryOutTask, resultOf, TaskFailed } from '../../../functions/task/run.ts'
import type { TableEvent } from '../../../stored/events.ts'

const detail = { entity: 'CL', runId: 'r1', reason: 'The page is damaged.' }
const endings: Readonly<Record<string, Ending<TableEvent>>> = {
  done: {
    level: 'INFO',
    message: 'ended',
    fields: { rows: 2 },
  },
  failed: {
    level: 'WARN',
    message: 'ended',
    fields: { reason: detail.reason },
    event: { type: 'Table Failed', detail },
  },
}

/** Carries out a task that returns its name or throws. */
async function carriedOut(
  run: () => Promise<string>,
  send = async (_event: TableEvent): Promise<void> => {},
) {
  const reported: unknown[] = []
  const context = {
    log: (level: string, message: string, fields: object = {}) =>
      void reported.push({ level, message, ...fields }),
    async publishEvent(event: TableEvent) {
      reported.push(event)
      await send(event)
    },
  }
  const ending = (result: string) => endings[result.split(':')[0] ?? ''] as Ending<TableEvent>
  const result = await carryOutTask(context, { run, failed: ({ message }) => `failed: ${message}`, ending })
  return { result, reported }
}

describe('a task', () => {
  it('is reported by one line, and sends no event if it went well', async () => {
    const { result, reported } = await carriedOut(async () => 'done')
    expect(result).toBe('done')
    expect(reported).toMatchObject([{ level: 'INFO', message: 'ended', rows: 2 }])
  })

  it('that fails has a result with the reason, and sends its event after the line', async () => {
    const { result, reported } = await carriedOut(() => Promise.reject(new TaskFailed(detail.reason)))
    expect(result).toBe('failed: The page is damaged.')
    expect(reported).toMatchObject([
      { level: 'WARN', reason: detail.reason },
      { type: 'Table Failed', detail },
    ])
  })

  it('ends as it did if its event cannot be sent', async () => {
    const away = () => Promise.reject(new Error('EventBridge is away.'))
    const { result, reported } = await carriedOut(() => Promise.reject(new TaskFailed('Why.')), away)
    expect(result).toBe('failed: Why.')
    expect(reported.at(-1)).toMatchObject({ level: 'ERROR', message: 'event not sent', type: 'Table Failed' })
  })

  it('rejects on an error that a retry may resolve, and reports nothing', async () => {
    const error = new Error('S3 is away.')
    const away = () => Promise.reject(error)
    await expect(carriedOut(away)).rejects.toBe(error)
    await expect(resultOf(away, () => 'failed')).rejects.toBe(error)
  })
})

describe('the entity of a task', () => {
  const entities = [{ name: 'CL' }, { name: 'AD' }]

  it('is found by its name', () => expect(configuredEntity(entities, 'AD')).toBe(entities[1]))

  it.each([
    [entities, /^The entity 'XX' is not configured\. Configured entities: CL, AD\.$/],
    [[], /Configured entities: none\.$/],
  ])('must be configured', (configured, reason) => {
    expect(() => configuredEntity(configured, 'XX')).toThrow(reason)
  })
})
