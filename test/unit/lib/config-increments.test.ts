import { describe, expect, it } from 'vitest'
import { resolveConfig } from '../../../lib/config.ts'
import { errorsIn } from './configurations.ts'

const configuration = (entity: object) => ({
  upstream: { baseUrl: 'https://shop.example.com' },
  entities: [{ name: 'CL', schedule: 'rate(1 day)', ...entity }],
})

const errorsOf = (entity: object) => errorsIn(configuration(entity))

const increments = { schedule: 'rate(5 minutes)' }

describe('the increments of an entity', () => {
  it.each([
    ['are off by default', {}, undefined],
    ['look back for an hour by default', { increments }, { ...increments, lookbackMinutes: 60 }],
    [
      'look back as long as configured',
      { increments: { ...increments, lookbackMinutes: 1440 } },
      { ...increments, lookbackMinutes: 1440 },
    ],
    [
      'run once a minute at most',
      { increments: { schedule: 'rate(1 minute)' } },
      { schedule: 'rate(1 minute)', lookbackMinutes: 60 },
    ],
    [
      'run by a cron expression',
      { increments: { schedule: 'cron(* * * * ? *)' } },
      { schedule: 'cron(* * * * ? *)', lookbackMinutes: 60 },
    ],
  ])('%s', (_what, entity, expected) => {
    expect(resolveConfig(configuration(entity)).entities[0]?.increments).toEqual(expected)
  })

  it.each([
    ['_all', '_all'],
    ['all that they need', 'id,createdIn, updatedIn'],
    ['a list', ['id', 'createdIn', 'updatedIn,city']],
  ])('are allowed with _fields that have %s', (_what, fields) => {
    expect(errorsOf({ increments, query: { _fields: fields } })).toEqual([])
  })

  it.each<[object, readonly string[]]>([
    [{ increments: true }, ['entities[0].increments: true is not an object with schedule, lookbackMinutes']],
    [
      { increments: {} },
      [
        "entities[0].increments.schedule: is missing; it must be rate(…) or cron(…), such as 'rate(5 minutes)'",
      ],
    ],
    [
      { increments: { schedule: 'rate(30 seconds)' } },
      ["entities[0].increments.schedule: 'rate(30 seconds)' is not a rate; use minutes, hours or days"],
    ],
    [
      { increments: { schedule: 'cron(0 0 31 2 ? *)' } },
      ["entities[0].increments.schedule: 'cron(0 0 31 2 ? *)' never runs: that date does not exist"],
    ],
    [
      { increments: { ...increments, lookback: 5 } },
      ["entities[0].increments.lookback: unknown key. Did you mean 'lookbackMinutes'?"],
    ],
    [
      { increments, changes: false },
      ['entities[0].increments: need change sets, but changes is false; remove one of the two'],
    ],
    [
      { increments, query: { _fields: 'id,city' } },
      [
        "entities[0].query._fields: does not contain 'createdIn' and 'updatedIn', which increments need; add 'createdIn' and 'updatedIn' or use '_all'",
      ],
    ],
    [
      { increments, query: { _fields: ['createdIn'] } },
      [
        "entities[0].query._fields: does not contain the idField 'id'; add 'id' or use '_all'",
        "entities[0].query._fields: does not contain 'updatedIn', which increments need; add 'updatedIn' or use '_all'",
      ],
    ],
  ])('%j is an error', (entity, errors) => {
    expect(errorsOf(entity)).toEqual(errors.map((text) => expect.stringContaining(text) as string))
  })
})
