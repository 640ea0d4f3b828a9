import assert from 'node:assert/strict'
import type { Check } from '../check.ts'
import type { ApiRequest } from '../context.ts'

interface Refusal {
  readonly what: string
  readonly request: ApiRequest
  readonly status: number
  readonly problem: string
  /** Members of the problem that locate the error. */
  readonly names?: Readonly<Record<string, unknown>>
}

const json = { 'content-type': 'application/json' }
const group = { method: 'PATCH', path: '/api/rns/subscriptions-group/g1', headers: json }
const subscription = { method: 'PATCH', path: '/api/rns/subscriptions/s1', headers: json }
const search = '/api/dataentities/CL/search'
const invalid = { status: 400, problem: 'invalid-request' }

const refusals: readonly Refusal[] = [
  {
    what: 'a PATCH whose Content-Type is not JSON',
    request: {
      ...subscription,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'a=b',
    },
    status: 415,
    problem: 'unsupported-media-type',
  },
  {
    what: 'one item where a group requires a list',
    request: { ...group, body: '{"item":{}}' },
    ...invalid,
    names: { pointer: '/item', errors: [{ pointer: '/item', expected: 'an array' }] },
  },
  {
    what: 'a parameter whose name has brackets',
    request: { path: `${search}?filters[email]=x` },
    ...invalid,
    names: { parameter: 'filters[email]' },
  },
  {
    what: 'a range of more than 100',
    request: { path: search, headers: { 'REST-Range': 'resources=0-101' } },
    ...invalid,
    names: { header: 'REST-Range' },
  },
  {
    what: 'a path value with a backslash',
    request: { path: '/api/logistics/pvt/configuration/docks/a%5Cb' },
    ...invalid,
    names: { parameter: 'dockId' },
  },
  {
    what: 'a snapshot before the first one',
    request: { path: '/syncs/CL/snapshot' },
    status: 404,
    problem: 'not-found',
  },
  {
    what: 'a start with an unknown member',
    request: { method: 'POST', path: '/syncs/CL', headers: json, body: '{"force":true}' },
    ...invalid,
    names: {
      pointer: '/force',
      errors: [{ pointer: '/force', expected: 'acceptShrink or acceptDeletes or increment' }],
    },
  },
]

/** Requests that are refused with a problem and never reach the platform. */
export const refusalChecks: Check[] = refusals.map(({ what, request, status, problem, names = {} }) => ({
  name: `refused with ${status}: ${what}`,
  async run({ callApi, platform }) {
    const fromCallers = () => platform.requests.filter(({ name }) => name !== 'Scheduled').length
    const before = fromCallers()
    const response = await callApi(request)
    assert.equal(response.status, status, response.body.toString())
    assert.equal(response.headers['content-type'], 'application/problem+json')
    const { type, title, status: inBody, detail, ...members } = response.json
    assert.deepEqual({ type, inBody }, { type: `urn:longshore:problem:${problem}`, inBody: status })
    assert.ok(title && detail)
    assert.deepEqual(members, names)
    assert.equal(fromCallers(), before, 'a request reached the platform')
  },
}))
