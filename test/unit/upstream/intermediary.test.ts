import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { describeHtmlPage } from '../../../functions/upstream/html-page.ts'
import { classOf, describeClass, intermediaryOf } from '../../../functions/upstream/intermediary.ts'

const html = { 'content-type': 'text/html; charset=utf-8' }
const respond = (status: number, headers: Record<string, string>, body: string | Buffer) => ({
  status,
  headers,
  body: Buffer.from(body),
})

describe('a response of 401 or 403', () => {
  it.each<[string, Record<string, string>, string | Buffer]>([
    ['a page of HTML', html, '<!DOCTYPE html>\n<html><head><title>One moment</title>'],
    ['a page in another case', { 'content-type': 'TEXT/HTML' }, '<HTML><HEAD>'],
    ['a page after a mark, white space and a comment', {}, '\ufeff\n <!-- edge 7 -->\n<!doctype html>'],
    ['a page that is called JSON', { 'content-type': 'application/json' }, '<html></html>'],
    ['a page without a type', {}, '<head><title>x</title></head>'],
    ['a part of a page', html, '<h1>Access denied</h1>'],
    ['a text that is called HTML', html, 'Access denied'],
    ...['<h1>403 Forbidden</h1>', '<script src="/x.js">', '<p>No', '<meta charset=utf-8>', '<center>No'].map(
      (body): [string, Record<string, string>, string] => [
        `a part of a page without a type: ${body}`,
        {},
        body,
      ],
    ),
    ['XHTML', { 'content-type': 'application/xhtml+xml' }, '<?xml version="1.0"?><html>'],
    ['XHTML without a type', {}, '<?xml version="1.0"?>\n<!-- x -->\n<!DOCTYPE html><html>'],
    ['a compressed page', { ...html, 'content-encoding': 'gzip' }, gzipSync('<html></html>')],
    ['a page in a coding that does not exist', { ...html, 'content-encoding': 'utf-8' }, '<html></html>'],
  ])('with %s is of a firewall', (_, headers, body) => {
    expect(intermediaryOf(respond(403, headers, body))).toBe('firewall')
    expect(intermediaryOf(respond(401, headers, body))).toBe('firewall')
    expect(classOf(respond(403, { ...headers, 'retry-after': '2' }, body))).toBe('firewall')
    expect(intermediaryOf(respond(200, headers, body))).toBeUndefined()
  })

  it.each<[string, Record<string, string>, string]>([
    ['JSON', { 'content-type': 'application/json' }, '{"code":"403","message":"<html>"}'],
    ['JSON that is called HTML', html, ' {"message":"no"}'],
    ['plain text', { 'content-type': 'text/plain' }, 'Access denied'],
    ['XML', { 'content-type': 'application/xml' }, '<?xml version="1.0"?><Error/>'],
    ['XML without a type', {}, '<Error><Code>AccessDenied</Code></Error>'],
    ['nothing', html, ''],
    ['white space', html, ' \n'],
    ['a body that cannot be decoded', { 'content-encoding': 'gzip' }, 'x'],
  ])('with %s is of the platform', (_, headers, body) => {
    expect(intermediaryOf(respond(403, headers, body))).toBeUndefined()
    expect(classOf(respond(403, headers, body))).toBe('rejected')
    expect(classOf(respond(403, { ...headers, 'retry-after': '2' }, body))).toBe('rate-limit')
  })

  it.each<[string, Record<string, string>, 'rate-limit' | 'rejected']>([
    ['a wait', { 'retry-after': '2' }, 'rate-limit'],
    ['a wait that cannot be read', { 'retry-after': 'soon' }, 'rate-limit'],
    ['no requests left', { 'x-ratelimit-remaining': '0' }, 'rate-limit'],
    ['no requests left in one of two windows', { 'x-ratelimit-remaining': '0, 59' }, 'rate-limit'],
    ['no requests left, by another name', { 'x-quota-requests-left': ' 0;w=60' }, 'rate-limit'],
    ['no requests left, with another hyphen', { 'x-rate-limit-remaining': '0.0' }, 'rate-limit'],
    ['a policy without requests left', { ratelimit: '"default";r=0;t=30' }, 'rate-limit'],
    ['two policies, one without requests left', { ratelimit: '"a";r=5, "b"; r=0' }, 'rate-limit'],
    ['an older policy without requests left', { ratelimit: 'limit=9, remaining=0, reset=5' }, 'rate-limit'],
    ['no requests left in a minute', { 'x-ratelimit-remaining-minute': '0' }, 'rate-limit'],
    ['all requests used', { 'x-shop-api-call-limit': '40/40' }, 'rate-limit'],
    ['all requests of a day used', { 'sforce-limit-info': 'api-usage=100/100' }, 'rate-limit'],
    ['requests left', { 'x-ratelimit-remaining': '59', 'x-shop-api-call-limit': '4/40' }, 'rejected'],
    ['an unlimited number', { 'x-ratelimit-remaining': '-1' }, 'rejected'],
    ['a policy with requests left', { ratelimit: '"r=0x";r=07;t=0' }, 'rejected'],
    ['another member that is 0', { ratelimit: '"default";r=5;tr=0' }, 'rejected'],
    ['no header of a limit', {}, 'rejected'],
  ])('with %s has a reason', (_, headers, reason) => {
    expect(classOf(respond(403, headers, '{"message":"no"}'))).toBe(reason)
    expect(classOf(respond(401, headers, ''))).toBe('rejected')
    for (const status of [200, 404, 429, 503]) expect(classOf(respond(status, headers, ''))).toBeUndefined()
  })
})

it.each([
  ['{"message":"You have exceeded a secondary rate limit."}', 'rate-limit'],
  ['Account Over Rate: calls per second exceeded', 'rate-limit'],
  ['Exceeded 2 calls per second for api client.', 'rate-limit'],
  ['Out of call volume quota. Quota will be replenished in 00:09:30.', 'rate-limit'],
  ['{"code":"TooManyRequests"}', 'rate-limit'],
  ['{"reason":"dailyLimitExceeded"}', 'rate-limit'],
  ['Too many concurrent requests', 'rate-limit'],
  ['Maximum number of requests exceeded. Retry in 2 seconds.', 'rate-limit'],
  ['Requests over HTTP, out of the limits of your plan, exceed your rights', 'rejected'],
])('a 403 that responds with %s is %s', (body, reason) => {
  expect(classOf(respond(403, {}, body))).toBe(reason)
  expect(classOf(respond(401, {}, body))).toBe('rejected')
})

it.each([
  ['61', 'cache'],
  ['3600, 3600', 'cache'],
  ['60', undefined],
  ['0', undefined],
  ['soon', undefined],
])('a response with an Age of %s is of %s', (age, by) => {
  for (const status of [200, 204, 400, 403, 503])
    expect(intermediaryOf(respond(status, { age }, '[]'))).toBe(by)
  expect(intermediaryOf(respond(200, { 'x-cache': 'HIT', age }, '[]'))).toBe(by)
})

it.each([
  ['&quot;Stop&quot; &amp; wait &lt;b&gt;', '"Stop" & wait <b>'],
  ['It&#39;s&nbsp;closed &#x2013; &apos;sorry&apos;', "It's closed – 'sorry'"],
  ['&amp;lt; &constructor; &#xD800;&#9999999;', '&lt; &constructor; \ufffd'],
  ['No&#27;[31m entry&#x0;&#x202e;', 'No [31m entry'],
])('decodes the entities of %s', (title, text) => {
  const page = Buffer.from(`<title>${title}</title>`)
  expect(describeHtmlPage(page, (quoted) => quoted)).toBe(`an HTML page "${text}"`)
})

it('redacts a secret that a page encodes', () => {
  const page = Buffer.from('<title>No entry for a&amp;b and a&#38;b</title>')
  expect(describeHtmlPage(page, (text) => text.replaceAll('a&b', '***'))).toBe(
    'an HTML page "No entry for *** and ***"',
  )
})

it('describes a firewall without markup, escapes and secrets', () => {
  const page = '<html><title>\u001b[31mNo <b>entry</b> for\nsecret</title><script>secret()</script>'
  expect(
    describeClass(respond(403, html, page), 'firewall', (text) => text.replaceAll('secret', '***')),
  ).toBe(
    'a firewall responded with 403 and an HTML page "[31mNo entry for ***" (allow Longshore\'s requests there; if there is no firewall, set valid credentials)',
  )
})

it('describes a limit with the text of the platform, without secrets', () => {
  const limited = respond(403, { 'retry-after': '2' }, '{"message":"Too many\nfor secret"}')
  expect(describeClass(limited, 'rate-limit', (text) => text.replaceAll('secret', '***'))).toBe(
    'the platform limits requests and responded with 403: {"message":"Too many for ***"} (have its limit raised or lower maxConcurrentScrolls; if there is no limit, set valid credentials)',
  )
})
