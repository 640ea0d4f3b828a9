import { expect, it } from 'vitest'
import type { Configuration } from '../../../../lib/config.ts'
import type { QueryEnd } from '../../../../operator/aws/athena.ts'
import { checkApi } from '../../../../operator/doctor/api-checks.ts'
import type { Checked } from '../../../../operator/doctor/finding.ts'
import {
  apiCalls,
  apiCheck,
  columnsCheck,
  countCheck,
  runCheck,
} from '../../../../operator/doctor/live-checks.ts'

const textOf = (checked: Checked) =>
  checked.kind === 'finding' ? checked.finding.text : `problem: ${checked.problem.evidence}`

const forbidden = '{"message":"Forbidden"}'
const unsigned = 'GET /syncs/CL without a signature'
const letter = 'GET /syncs/%43L with a signature'
const noRun = 'GET /syncs/CL/runs/no%20run%20%C3%A9%25 with a signature'
it.each<[auth: 'iam' | 'jwt', call: string, status: number, body: string, expected: string | undefined]>([
  ['iam', unsigned, 403, forbidden, undefined],
  ['iam', unsigned, 200, '{}', '403'],
  ['iam', unsigned, 401, forbidden, '403'],
  ['jwt', unsigned, 401, forbidden, undefined],
  ['jwt', unsigned, 403, forbidden, '401'],
  ['iam', letter, 200, '{"entity":"CL"}', undefined],
  ['iam', letter, 200, '{"entity":"%43L"}', '200 and "entity":"CL"'],
  ['iam', letter, 200, 'null', '200 and "entity":"CL"'],
  ['iam', letter, 403, forbidden, '200 and "entity":"CL"'],
  ['iam', noRun, 404, '{"type":"not-found","status":404}', undefined],
  ['iam', noRun, 404, '{"message":"Not Found"}', '404 and a problem document of Longshore'],
  ['iam', noRun, 502, '<html>', '404 and a problem document of Longshore'],
])('with %s, %s responds with %i %s instead of %s', (...[auth, name, status, body, expected]) => {
  const found = apiCalls(auth, 'CL').map((call) => textOf(apiCheck(call, { status, body })))
  const text = `The API responds to ${name} with`
  expect(found).toContain(
    expected === undefined
      ? `${text} ${status}.`
      : `problem: ${text} ${status} ${body}, not with ${expected}.`,
  )
})

it('calls no API whose callers need a certificate, and says so', async () => {
  const mutualTls = { truststoreUri: 's3://shop-truststore/callers.pem' }
  const domain = { name: 'api.example.com', certificateArn: 'arn', only: true, mutualTls }
  const configuration = { auth: { type: 'iam' }, domain } as Configuration
  const found = await checkApi({ apiUrl: 'https://127.0.0.1:1', configuration }, 'CL')
  expect(found.map(textOf)).toEqual([expect.stringContaining('callers need a client certificate')])
})

const column = (name: string, type: string) => ({ name, type, parameters: { 'iceberg.field.id': '1' } })
const columns = [column('id', 'string'), column('total', 'decimal(18,2)')]
const other = column('total', 'decimal(18, 2)')
it.each([
  [columns, 'Glue has the 2 columns of the typed table of CL.'],
  [undefined, 'problem: Glue has no typed table of CL.'],
  [columns.slice(0, 1), 'problem: Glue has 1 columns of the typed table of CL, which has 2; different: [].'],
  [
    [columns[0], other],
    `problem: Glue has 2 columns of the typed table of CL, which has 2; different: ${JSON.stringify([other])}.`,
  ],
])('compares the columns that Glue has with those of the typed table: %j', (stored, text) => {
  expect(textOf(columnsCheck('CL', columns, stored as typeof columns))).toBe(text)
})

it.each<[QueryEnd, string]>([
  [{ state: 'succeeded', row: ['12', '11'] }, 'Athena reads the 12 rows of the typed table of CL.'],
  [
    { state: 'succeeded', row: ['11', '11'] },
    'problem: Athena reads 11 rows of the typed table of CL, which has 12.',
  ],
  [{ state: 'succeeded', row: [] }, 'problem: Athena reads no rows of the typed table of CL, which has 12.'],
  [
    { state: 'failed', reason: 'GENERIC_INTERNAL_ERROR' },
    'problem: Athena cannot read the typed table of CL: GENERIC_INTERNAL_ERROR',
  ],
])('compares the rows that Athena counts with those of the typed table: %j', (end, text) => {
  expect(textOf(countCheck('CL', 12, end))).toBe(text)
})

it.each([
  ['published', null, 'Run r published 5 documents of CL.', undefined],
  ['refused', 'It shrank.', 'problem: Run r of CL ended as refused: It shrank.', 'review r'],
  ['failed', 'It failed.', 'problem: Run r of CL ended as failed: It failed.', 'logs r'],
  ['skipped', null, 'problem: Run r of CL ended as skipped.', 'logs r'],
] as const)('reports a sync that ended as %s', (...[status, reason, text, command]) => {
  const checked = runCheck({ entity: 'CL', runId: 'r', status, reason, documents: 5 })
  expect(textOf(checked)).toBe(text)
  expect('problem' in checked ? checked.problem.command : undefined).toBe(command)
})
