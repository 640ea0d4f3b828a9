import { expect, it } from 'vitest'
import { UpstreamFailure } from '../../../../functions/upstream/errors.ts'
import type { UpstreamResponse } from '../../../../functions/upstream/exchange.ts'
import { bodyKind } from '../../../../functions/worker/scroll/body-kind.ts'
import {
  faultName,
  faultOfError,
  faultOfResponse,
  isRefused,
} from '../../../../functions/worker/scroll/fault.ts'

const faultOf = (response: UpstreamResponse) => faultOfResponse(response, bodyKind)
const respond = (status: number, headers = {}, body = '') => ({ status, headers, body: Buffer.from(body) })

it.each([
  ['a success', respond(200), undefined],
  ['rejected credentials', respond(403, {}, '{}'), '403'],
  ['a firewall, not as rejected credentials', respond(403, {}, '<html>'), 'firewall'],
  ['a cache, whatever its status', respond(200, { age: '3600' }), 'cache'],
  ['a failure of the platform', respond(500), '500'],
])('counts %s under its own name', (_, response, name) => {
  const fault = faultOf(response)
  expect(fault && faultName(fault)).toBe(name)
})

it.each([
  [faultOf(respond(400)), true],
  [faultOf(respond(408)), false],
  [faultOf(respond(500)), false],
  [faultOf(respond(403, {}, '<html>')), false],
  [faultOfError(new UpstreamFailure('unreachable')), true],
  [faultOfError(new UpstreamFailure('unreadable')), false],
])('knows whether a scroll may be open at the platform after %j', (fault, refused) => {
  expect(fault && isRefused(fault)).toBe(refused)
})
