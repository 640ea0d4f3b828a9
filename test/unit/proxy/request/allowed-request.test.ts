import { describe, expect, it } from 'vitest'
import { parameterNames } from '../../../../functions/http/path-template.ts'
import { allowedRequest, type CallerRequest } from '../../../../functions/proxy/request/allowed-request.ts'
import { endpoint, refusal } from './refusal.ts'

const settings = { searchPath: '/find/{data_entity}/{data_entity}', validation: 'strict' } as const
const allow = (name: string, change: Partial<CallerRequest> = {}) => {
  const entry = endpoint(name)
  const pathParameters = Object.fromEntries(
    parameterNames(entry.path).map((parameter) => [parameter, 'a b$&']),
  )
  const event: CallerRequest = {
    pathParameters,
    rawQueryString: '',
    headers: {},
    isBase64Encoded: false,
    ...change,
  }
  return allowedRequest(event, entry, settings)
}
const patch = (body: string, change: Partial<CallerRequest> & { contentLength?: string } = {}) => {
  const { contentLength, ...rest } = change
  const headers = {
    'content-type': 'application/json',
    ...(contentLength !== undefined && { 'content-length': contentLength }),
  }
  return allow('update-subscription', { headers, body, ...rest })
}

describe('a request that is forwarded', () => {
  it("has the endpoint's path and the caller's query", () => {
    expect(allow('read-dock')).toMatchObject({ target: '/api/logistics/pvt/configuration/docks/a%20b%24%26' })
    expect(allow('search-documents', { rawQueryString: 'a=1' })).toEqual({
      target: '/find/a%20b%24%26/a%20b%24%26?a=1',
      query: [{ name: 'a', value: '1', raw: 'a=1' }],
      headers: expect.any(Object) as object,
    })
  })

  it('has no body if the endpoint has none', () =>
    expect(allow('read-dock', { body: 'not checked' })).not.toHaveProperty('body'))

  it.each([
    ['as text', '{"status":"é"}', {}],
    ['as base64', Buffer.from('{"status":"é"}').toString('base64'), { isBase64Encoded: true }],
    [
      'as base64, whose length is not the one that was sent',
      Buffer.from('{"status":"é"}').toString('base64'),
      { isBase64Encoded: true, contentLength: '1' },
    ],
    ['with a Content-Length of another coding', '{"status":"é"}', { contentLength: '99' }],
  ])('has the body that API Gateway passes %s', (_, body, change) => {
    expect(patch(body, change).body).toEqual(Buffer.from('{"status":"é"}'))
  })

  it.each([
    ['without a Content-Length', {}],
    ['with its Content-Length', { contentLength: '17' }],
    ['in base64', { contentLength: '9', isBase64Encoded: true }],
  ])('may contain the character U+FFFD itself: %s', (_, change) => {
    const body = '{"status":"\uFFFD "}'
    const given = 'isBase64Encoded' in change ? Buffer.from(body).toString('base64') : body
    expect(patch(given, change).body).toEqual(Buffer.from(body))
  })

  it('is refused if API Gateway replaced bytes of its body that are not UTF-8', () => {
    expect(refusal(() => patch('{"status":"\uFFFD"}', { contentLength: '14' })).detail).toContain('not UTF-8')
  })

  it('is refused without a path parameter or a body', () => {
    const event = { rawQueryString: '', headers: {}, isBase64Encoded: false }
    expect(refusal(() => allowedRequest(event, endpoint('read-dock'), settings)).status).toBe(400)
    const headers = { 'content-type': 'application/json', 'content-length': '2' }
    expect(refusal(() => allow('update-subscription', { headers })).detail).toContain('The body is missing')
  })
})
