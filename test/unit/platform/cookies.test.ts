import { expect, it } from 'vitest'
import { cookiesAfter } from '../../../functions/platform/cookies.ts'

const now = Date.parse('2026-01-02T03:04:05Z')

it.each<[known: string | undefined, set: string | string[] | undefined, after: string | undefined]>([
  [undefined, undefined, undefined],
  ['lb=1', undefined, 'lb=1'],
  [undefined, 'lb=1; Path=/; HttpOnly', 'lb=1'],
  ['lb=1; node="7"', ['lb=a=b'], 'node="7"; lb=a=b'],
  ['lb=1; node=7', ['lb=; Max-Age=0', 'node=8'], 'node=8'],
  ['lb=1', ['lb=1; max-age=-1'], undefined],
  ['lb=1', 'lb=; Expires=Thu, 01 Jan 1970 00:00:00 GMT', undefined],
  ['lb=1', 'lb=; expires=Thu, 01-Jan-2026 03:04:05 GMT', undefined],
  [undefined, 'lb=1; Expires=Sat, 03 Jan 2026 03:04:05 GMT; Max-Age=60', 'lb=1'],
  ['lb=1', ['', 'HttpOnly', '=1', 'name'], 'lb=1'],
  [`old=${'x'.repeat(3000)}`, `new=${'y'.repeat(2000)}`, `new=${'y'.repeat(2000)}`],
])('after %j a response with %j leads to %j', (known, set, after) => {
  expect(cookiesAfter(known, set === undefined ? {} : { 'set-cookie': set }, now)).toBe(after)
})
