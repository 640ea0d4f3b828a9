import { describe, expect, it } from 'vitest'
import { forHttpEvents } from '../../../functions/http/event.ts'

const event = {
  routeKey: 'GET /syncs',
  rawQueryString: '',
  headers: { accept: '*/*' },
  requestContext: { requestId: 'r', stage: '$default' },
}
const response = forHttpEvents(async (given: unknown, context: string) => ({
  statusCode: 200,
  body: JSON.stringify([given, context]),
}))

describe('a function behind API Gateway', () => {
  it.each([
    ['without body and parameters', {}],
    ['with null for what is absent', { body: null, pathParameters: null }],
    ['with body and parameters', { body: 'x', pathParameters: { entity: 'CL' }, more: 1 }],
  ])('responds to an event %s', async (_, more) => {
    const given = { ...event, ...more }
    expect(await response(given, 'context')).toEqual({
      statusCode: 200,
      body: JSON.stringify([given, 'context']),
    })
  })

  it.each([
    ['nothing', undefined],
    ['an event of the Lambda console', { key1: 'value1' }],
    ['an event without a route', { ...event, routeKey: undefined }],
    ['an event without a query string', { ...event, rawQueryString: undefined }],
    ['an event without headers', { ...event, headers: undefined }],
    ['an event with several values of a header', { ...event, headers: { accept: ['*/*'] } }],
    ['an event with a parameter that is not text', { ...event, pathParameters: { entity: 1 } }],
    ['an event with a body that is not text', { ...event, body: {} }],
    ['an event without a request id', { ...event, requestContext: {} }],
  ])('refuses %s and explains which events it takes', async (_, given) => {
    const { statusCode, body } = await response(given, 'context')
    expect(statusCode).toBe(400)
    expect(JSON.parse(body ?? '')).toMatchObject({
      type: 'urn:longshore:problem:invalid-request',
      detail: expect.stringContaining('only with events of API Gateway') as string,
    })
  })
})
