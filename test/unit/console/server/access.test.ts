import { describe, expect, it } from 'vitest'
import { type ConsoleSession, createSession, decideAccess } from '../../../../console/server/access.ts'

const port = 4511
const used =
  'This URL has been used, or is from an earlier start. Start another console: longshore console, or longshore --local console for a running npm start.'
const noSession = 'Open the console with the URL that was printed when it started.'
const otherHost = 'The Host header must be 127.0.0.1:4511 or localhost:4511.'
const otherOrigin = 'Pages of another origin must not call the console.'
const host = `127.0.0.1:${port}`
const origin = `http://${host}`

function ask(session: ConsoleSession, target: string, headers: Record<string, string> = {}) {
  const [method = '', path = ''] = target.startsWith('/') ? ['GET', target] : target.split(' ')
  return decideAccess({ method, url: new URL(path, origin), headers: { host, ...headers }, port }, session)
}

/** A session that has been opened, and its cookie. */
function signedIn() {
  const session = createSession()
  const access = ask(session, `/?token=${session.token}`)
  if (access.kind !== 'signed-in') throw new Error('not signed in')
  return { session, cookie: access.setCookie.split(';')[0] ?? '', setCookie: access.setCookie }
}

describe('the console’s token', () => {
  it('is exchanged once for a cookie that scripts and other sites cannot use', () => {
    const { session, setCookie } = signedIn()
    expect(setCookie).toMatch(/^longshore-console-4511=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/)
    expect(ask(session, `/?token=${session.token}`)).toEqual({ kind: 'refused', status: 403, message: used })
  })

  it('is refused if it is wrong, and a wrong one does not use up the right one', () => {
    const session = createSession()
    expect(ask(session, '/?token=guess')).toMatchObject({ kind: 'refused', status: 403 })
    expect(ask(session, `/?token=${session.token}`)).toMatchObject({ kind: 'signed-in' })
  })

  it('is accepted from a link on another site, since the token itself is the secret', () => {
    const session = createSession()
    const headers = { 'sec-fetch-site': 'cross-site' }
    expect(ask(session, `/?token=${session.token}`, headers)).toMatchObject({ kind: 'signed-in' })
  })

  it('does not open other paths or methods', () => {
    const session = createSession()
    const path = `?token=${session.token}`
    expect(ask(session, `/console/api/overview${path}`)).toMatchObject({ status: 401 })
    expect(ask(session, `POST /${path}`, { origin })).toMatchObject({ status: 401 })
  })
})

describe('a request to the console', () => {
  it('is allowed with the cookie', () => {
    const { session, cookie } = signedIn()
    expect(ask(session, '/', { cookie: `other=1; ${cookie}` })).toEqual({ kind: 'allowed' })
    expect(ask(session, '/console/api/overview', { cookie, 'sec-fetch-site': 'same-origin' })).toEqual({
      kind: 'allowed',
    })
    expect(ask(session, 'POST /console/api/x', { cookie, origin })).toEqual({ kind: 'allowed' })
  })

  it.each([
    ['without a cookie', {}, 401],
    ['with another cookie', { cookie: `longshore-console-4511=${'a'.repeat(43)}` }, 401],
    ['with the cookie of a console at another port', { cookie: 'longshore-console-80=x' }, 401],
  ])('is refused %s', (_, headers, status) => {
    const { session } = signedIn()
    expect(ask(session, '/', headers)).toEqual({ kind: 'refused', status, message: noSession })
  })

  it.each([
    ['under a host name of another site', { host: 'evil.example.com' }, otherHost],
    ['under a host name that resolves to this machine', { host: `rebound.example.com:${port}` }, otherHost],
    ['with another port in the Host header', { host: '127.0.0.1:80' }, otherHost],
    ['from another origin', { origin: 'https://evil.example.com' }, otherOrigin],
    ['from another port of this machine', { origin: 'http://127.0.0.1:8080' }, otherOrigin],
    ['from a sandboxed page', { origin: 'null' }, otherOrigin],
    ['without an origin from another site', { 'sec-fetch-site': 'cross-site' }, otherOrigin],
    ['without an origin from another port', { 'sec-fetch-site': 'same-site' }, otherOrigin],
  ])('is refused with the cookie %s', (_, headers, message) => {
    const { session, cookie } = signedIn()
    const access = ask(session, '/console/api/overview', { cookie, ...headers })
    expect(access).toEqual({ kind: 'refused', status: 403, message })
  })

  it('may read headers without an origin', () => {
    const { session, cookie } = signedIn()
    expect(ask(session, 'HEAD /', { cookie })).toEqual({ kind: 'allowed' })
  })

  it('must name its origin to change something', () => {
    const { session, cookie } = signedIn()
    expect(ask(session, 'POST /console/api/x', { cookie })).toEqual({
      kind: 'refused',
      status: 403,
      message: 'The Origin header is missing.',
    })
  })

  it('is refused before the token is used, even with an empty cookie', () =>
    expect(ask(createSession(), '/', { cookie: 'longshore-console-4511=' })).toMatchObject({ status: 401 }))
})
