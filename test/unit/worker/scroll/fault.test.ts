import { expect, it } from 'vitest'
import { UpstreamFailure, type UpstreamResponse } from '../../../../functions/upstream/exchange.ts'
import { bodyKind } from '../../../../functions/worker/scroll/body-kind.ts'
import { faultOfError, faultOfResponse, opensNothing } from '../../../../functions/worker/scroll/fault.ts'

const faultOf = (response: UpstreamResponse) => faultOfResponse(response, bodyKind)
const respond = (status: number, headers = {}, body = '') => ({ status, headers, body: Buffer.from(body) })

it.each([
  [faultOf(respond(400)), true],
  [faultOf(respond(408)), false],
  [faultOf(respond(500)), false],
  [faultOf(respond(403, {}, '<html>')), false],
  [faultOfError(new UpstreamFailure('unreachable')), true],
  [faultOfError(new UpstreamFailure('unreadable')), false],
])('knows whether a scroll may be open at the platform after %j', (fault, refused) => {
  expect(fault && opensNothing(fault)).toBe(refused)
})
