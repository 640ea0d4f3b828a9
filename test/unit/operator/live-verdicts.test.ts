import { describe, expect, it } from 'vitest'
import { runIdOfExecution } from '../../../functions/state/run/run.ts'
import type { QueryEnd } from '../../../operator/aws/athena.ts'
import { check } from '../../../operator/live/live-check.ts'
import {
  alarmVerdict,
  columnsVerdict,
  countVerdict,
  firedVerdict,
  identityVerdict,
  logVerdict,
  mailVerdict,
  metricVerdict,
  signedVerdict,
  unsignedVerdict,
} from '../../../operator/live/verdicts.ts'

const expected = 'as-expected'
const forbidden = '{"message":"Forbidden"}'
const ours = '{"type":"not-found","status":404}'

describe('what API Gateway responds', () => {
  it.each([
    ['iam', 403, expected],
    ['iam', 200, 'different'],
    ['iam', 401, 'different'],
    ['jwt', 401, expected],
    ['jwt', 403, 'different'],
  ] as const)(
    'a call without a signature to an API with %s gets the response %i: %s',
    (auth, status, kind) => {
      expect(unsignedVerdict(auth, { status, body: forbidden })).toEqual({
        kind,
        response: `${status} ${forbidden}`,
      })
    },
  )

  it.each([
    ['of the entity', 200, 200, '{"entity":"CL"}', expected],
    ['of another entity', 200, 200, '{"entity":"%43L"}', 'different'],
    ['that is not JSON', 200, 200, 'CL', 'different'],
    ['that no such run exists', 404, 404, ours, expected],
    ['of API Gateway that no such route exists', 404, 404, '{"message":"Not Found"}', 'different'],
    ['that the signature is wrong', 404, 403, forbidden, 'different'],
  ] as const)('a signed call gets a response %s', (...[, wanted, status, body, kind]) => {
    expect(signedVerdict(wanted, 'CL', { status, body }).kind).toBe(kind)
  })

  it('shows the beginning of a long response', () => {
    expect(unsignedVerdict('iam', { status: 502, body: 'x'.repeat(5000) }).response).toHaveLength(404)
  })
})

const column = (name: string, type: string) => ({ name, type, parameters: { 'iceberg.field.id': '1' } })
const sent = [column('id', 'string'), column('total', 'decimal(18,2)')]

it.each([
  ['the same', sent, expected, 'the same 2 columns'],
  ['none', undefined, 'different', 'There is no such table in Glue.'],
  ['fewer', sent.slice(0, 1), 'different', '1 columns; other than sent: []'],
  [
    'another type',
    [sent[0], column('total', 'decimal(18, 2)')],
    'different',
    '2 columns; other than sent: [{"name":"total","type":"decimal(18, 2)","parameters":{"iceberg.field.id":"1"}}]',
  ],
] as const)('Glue returns %s columns', (...[, returned, kind, response]) => {
  expect(columnsVerdict(sent, returned as typeof sent)).toEqual({ kind, response })
})

it.each<[QueryEnd, string, string]>([
  [{ state: 'succeeded', row: ['12', '11'] }, expected, '12, 11'],
  [{ state: 'succeeded', row: ['11', '11'] }, 'different', '11, 11'],
  [{ state: 'succeeded', row: [] }, 'different', ''],
  [
    { state: 'failed', reason: 'GENERIC_INTERNAL_ERROR' },
    'different',
    'The query failed: GENERIC_INTERNAL_ERROR',
  ],
  [{ state: 'stopped' }, 'not-seen', 'The query had not ended when the time was over.'],
])('a query that should count 12 ends with %j', (end, kind, response) => {
  expect(countVerdict(12, end)).toEqual({ kind, response })
})

it.each([
  [[], 'not-seen'],
  [['StateUpdate: Alarm updated from OK to ALARM'], 'not-seen'],
  [['Action: Failed to execute action arn:aws:sns:::Alarms'], 'not-seen'],
  [['StateUpdate: to ALARM', 'Action: Successfully executed action arn:aws:sns:::Alarms'], expected],
] as const)('the history %j of an alarm shows whether it notified somebody', (history, kind) => {
  expect(alarmVerdict(history).kind).toBe(kind)
})

it.each([
  [undefined, undefined, 'not-asked'],
  ['me@example.com', undefined, 'not-asked'],
  ['me@example.com', true, expected],
  ['me@example.com', false, 'different'],
] as const)('the mail to %s arrived: %s', (address, hasArrived, kind) => {
  expect(mailVerdict(address, hasArrived).kind).toBe(kind)
})

it.each([
  [3, undefined, undefined, expected],
  [3, 'arn:key', 'arn:key', expected],
  [3, undefined, 'arn:key', 'different'],
  [0, undefined, undefined, 'not-seen'],
] as const)('%i lines in a group under %s, where %s is configured', (...[lines, key, wantedKey, kind]) => {
  expect(logVerdict({ lines, key, wantedKey }).kind).toBe(kind)
})

it('a metric arrives with its first value', () => {
  expect([metricVerdict(0).kind, metricVerdict(1).kind]).toEqual(['not-seen', expected])
})

const execution = { id: 'arn:aws:states:::execution:Sync:1', startedAt: Date.parse('2026-03-01T12:00:00Z') }

it('a schedule has fired if the execution has its input', () => {
  const input = '{"entity":"CL","repeat":true}'
  const received = (text: string) => firedVerdict(input, { ...execution, input: text }).kind
  expect([received('{"repeat": true, "entity": "CL"}'), received('{"entity":"CL"}')]).toEqual([
    expected,
    'different',
  ])
})

it('the run that events name follows from the ARN of the execution', () => {
  const runId = runIdOfExecution(execution)
  expect(identityVerdict(execution, runId).kind).toBe(expected)
  expect(identityVerdict({ ...execution, id: `${execution.id}:other` }, runId).kind).toBe('different')
})

describe('a check', () => {
  const question = { name: 'one', asked: 'arn:111122223333', expected: 'yes' }
  const place = { isAws: true, account: '111122223333' }

  it('leaves out the account', async () => {
    const verdict = { kind: 'different', response: 'bucket-111122223333' } as const
    expect(await check(place, question, async () => verdict)).toEqual({
      name: 'one',
      asked: 'arn:ACCOUNT',
      expected: 'yes',
      outcome: 'different',
      response: 'bucket-ACCOUNT',
    })
  })

  it('has the reason why AWS refused it as its response', async () => {
    const denied = Object.assign(new Error('not authorized to perform: glue:GetTable'), {
      name: 'AccessDeniedException',
    })
    expect(await check(place, question, () => Promise.reject(denied))).toMatchObject({
      outcome: 'not-seen',
      response: 'AWS denied access: not authorized to perform: glue:GetTable',
    })
  })

  it.each([
    ['as-expected', 'as-expected'],
    ['not-asked', 'not-asked'],
    ['different', 'not-supported'],
    ['not-seen', 'not-supported'],
  ] as const)('on an emulator, %s is %s', async (kind, outcome) => {
    const verdict = { kind, response: '' }
    expect((await check({ ...place, isAws: false }, question, async () => verdict)).outcome).toBe(outcome)
  })
})
