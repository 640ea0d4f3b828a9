import { afterEach, expect, it, vi } from 'vitest'
import { ProblemError } from '../../../functions/http/result.ts'
import { CredentialsError, UpstreamFailure } from '../../../functions/upstream/exchange.ts'
import { ConfigurationError } from '../../../lib/config.ts'
import { requireEntity } from '../../../operator/deployment/deployment.ts'
import { CommandError, failureOf, Interrupted, UsageError } from '../../../operator/errors.ts'
import { itemVersion, UnknownItemVersion } from '../../../stored/item-version.ts'

const named = (name: string, message: string) => Object.assign(new Error(message), { name })

afterEach(() => {
  delete process.env['AWS_PROFILE']
})

it("states the SDK's reason and the profile if credentials cannot be loaded", () => {
  process.env['AWS_PROFILE'] = 'shop'
  const reason = 'The SSO session has expired. To refresh it run aws sso login'
  expect(failureOf(named('CredentialsProviderError', reason))).toEqual({
    kind: 'problem',
    message: `Cannot load AWS credentials for the profile shop: ${reason}.`,
    fix: expect.stringContaining('aws sso login'),
  })
})

const denied = [
  'AWS denied access: details',
  'ask an administrator of the account for this permission',
] as const
const signIn = 'set AWS_PROFILE, or sign in again (aws sso login)'

it.each([
  ['ExpiredToken', 'The AWS credentials have expired.', signIn],
  ['ExpiredTokenException', 'The AWS credentials have expired.', signIn],
  ['InvalidClientTokenId', 'AWS rejected the credentials: unknown access key.', signIn],
  ['UnrecognizedClientException', 'AWS rejected the credentials: unknown access key.', signIn],
  ['TimeoutError', 'AWS did not respond in time.', 'check the network and try again'],
  ['AccessDenied', ...denied],
  [
    'AccessDeniedException',
    'AWS denied access: details',
    'ask an administrator of the account for this permission',
  ],
  [
    'UnauthorizedOperation',
    'AWS denied access: details',
    'ask an administrator of the account for this permission',
  ],
  ['CredentialsProviderError', 'Cannot load AWS credentials: details.', signIn],
  ['NoAccessDenied', 'NoAccessDenied: details', undefined],
  ['AccessDeniedBefore', 'AccessDeniedBefore: details', undefined],
])('explains %s', (name, message, fix) => {
  expect(failureOf(named(name, 'details'))).toEqual({ kind: 'problem', message, ...(fix && { fix }) })
})

it.each([
  [
    'ECONNREFUSED',
    'Cannot reach AWS (or npm start, or the endpoint in AWS_ENDPOINT_URL): connection refused.',
    'check AWS_ENDPOINT_URL and the network; with --local, check that npm start is running',
  ],
  [
    'ENOTFOUND',
    'Cannot reach AWS (or the endpoint in AWS_ENDPOINT_URL): host not found.',
    'check AWS_REGION, AWS_ENDPOINT_URL and the network',
  ],
  ['EOTHER', 'Error: EOTHER', undefined],
])('explains the code %s', (code, message, fix) => {
  const error = Object.assign(new Error(''), { code })
  expect(failureOf(error)).toEqual({ kind: 'problem', message, ...(fix && { fix }) })
})

it.each<[error: unknown, failure: object]>([
  ['text', { kind: 'problem', message: 'text' }],
  [new UsageError('Why.'), { kind: 'usage', message: 'Why.' }],
  [new ConfigurationError('f', ['Why.']), { kind: 'usage', message: expect.stringContaining('Why.') }],
  [new CommandError('Why.'), { kind: 'problem', message: 'Why.', fix: undefined }],
  [new CommandError('Why.', { fix: 'do it' }), { kind: 'problem', message: 'Why.', fix: 'do it' }],
  [new Interrupted('Stopped.'), { kind: 'interrupted', message: 'Stopped.' }],
  [new ProblemError('not-found', 'No run.'), { kind: 'problem', message: 'No run.' }],
  [
    new CredentialsError('unreadable', 'Cannot read the secret.', { cause: named('TimeoutError', '') }),
    { kind: 'problem', message: 'Cannot read the secret. AWS did not respond in time.' },
  ],
])('prints what happened and has the exit code for %s', (error, failure) => {
  expect(failureOf(error)).toEqual(failure)
})

it.each([
  [
    new UpstreamFailure('unreachable', { cause: new Error('host a.invalid not found') }),
    'host a.invalid not found',
  ],
  [new UpstreamFailure('not-sent'), 'the time limit was reached before the request could be sent'],
])('explains why a platform cannot be reached: %s', (error, reason) => {
  expect(failureOf(error)).toEqual({
    kind: 'problem',
    message: `The call to the platform failed: ${reason}.`,
    fix: expect.stringContaining('upstream.baseUrl'),
  })
})

it('has the fix for state that another release wrote', () => {
  const key = { pk: 'entity#CL', sk: 'entity' }
  expect(failureOf(new UnknownItemVersion(key, itemVersion - 1))).toEqual({
    kind: 'problem',
    message: expect.stringMatching(/its version is .* reads version \d+\.$/),
    fix: expect.stringContaining('docs/deploy.md'),
  })
})

const reset = Object.assign(new Error('reset'), { code: 'ECONNRESET' })
it.each([
  [new UpstreamFailure('timeout'), 'the platform did not respond in time'],
  [new UpstreamFailure('timeout', { cause: reset }), 'the platform did not respond in time'],
  [
    new UpstreamFailure('interrupted', { cause: reset }),
    'the connection broke before the response was complete (ECONNRESET)',
  ],
  [
    new UpstreamFailure('interrupted', { cause: { code: 'not an error' } }),
    'the connection broke before the response was complete',
  ],
  [
    new UpstreamFailure('unreadable', { cause: new Error('its gzip body is damaged') }),
    'the response of the platform cannot be read: its gzip body is damaged',
  ],
  [new UpstreamFailure('too-large', { cause: new Error('big') }), 'the response is too large'],
])('reports what happened to a request that was sent: %s', (error, clause) => {
  expect(failureOf(error)).toEqual({
    kind: 'problem',
    message: `The call to the platform failed: ${clause}.`,
  })
})

it('suggests the configured entity that differs in case, and lists all', () => {
  const configuration = { entities: [{ name: 'CL' }, { name: 'AD' }] } as never
  expect(() => requireEntity(configuration, 'CL')).not.toThrow()
  expect(() => requireEntity(configuration, 'cl')).toThrow(CommandError)
  expect(() => requireEntity(configuration, 'cl')).toThrow("Did you mean 'CL'? Entities: CL, AD.")
  expect(() => requireEntity(configuration, 'ZZ')).toThrow(
    'The entity ZZ is not configured. Entities: CL, AD.',
  )
})

it.each([
  [[], 'Entities: none.'],
  [[{ name: 'AD' }], 'Entities: AD.'],
])('lists the entities %j if another one is asked for', (entities, text) => {
  expect(() => requireEntity({ entities } as never, 'ZZ')).toThrow(`The entity ZZ is not configured. ${text}`)
})

const ofFile = (code: string, syscall: string, path?: string) =>
  Object.assign(new Error(`${code}: ${syscall}`), { code, syscall, ...(path !== undefined && { path }) })

it.each([
  [ofFile('EACCES', 'open', '/a'), 'Cannot open /a: permission denied.', /right/],
  [ofFile('EROFS', 'mkdir', '/a'), 'Cannot create /a: the file system is read-only.', /another file system/],
  [ofFile('EDQUOT', 'write'), "Cannot write a file: this user's disk quota is used up.", /free space/],
  [ofFile('ENOTDIR', 'scandir', '/a/b'), 'Cannot read /a/b: a part of the path is not a directory.', /path/],
])('explains what the system says about a file: %s', (error, message, fix) => {
  expect(failureOf(error)).toEqual({ kind: 'problem', message, fix: expect.stringMatching(fix) })
})

it('does not take an error of a socket for one of a file', () => {
  expect(failureOf(ofFile('EACCES', 'connect', '/run/socket')).message).toBe('Error: EACCES: connect')
})

it('names a proxy that is not used if AWS cannot be reached', () => {
  vi.stubEnv('ALL_PROXY', 'socks5://10.0.0.9:1080')
  const { message, fix } = failureOf(named('TimeoutError', 'details'))
  expect(message).toMatch(
    /^AWS did not respond in time\. Also, the proxy socks5:.* is not used: .*supported\.$/,
  )
  expect(fix).toContain('ALL_PROXY')
  expect(failureOf(named('ExpiredToken', 'details')).message).not.toContain('proxy')
  vi.unstubAllEnvs()
})
