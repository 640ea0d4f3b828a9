import { afterEach, expect, it } from 'vitest'
import { requireEntity } from '../../../cli/deployment.ts'
import { CommandError, failureOf, Interrupted } from '../../../cli/shell/errors.ts'
import { UpstreamFailure } from '../../../functions/upstream/errors.ts'

const named = (name: string, message: string) => Object.assign(new Error(message), { name })

afterEach(() => {
  delete process.env['AWS_PROFILE']
})

it("states the SDK's reason and the profile if credentials cannot be loaded", () => {
  process.env['AWS_PROFILE'] = 'shop'
  const reason = 'The SSO session has expired. To refresh it run aws sso login'
  expect(failureOf(named('CredentialsProviderError', reason))).toEqual({
    exitCode: 1,
    message: `Cannot load AWS credentials for the profile shop: ${reason}.`,
    fix: expect.stringContaining('aws sso login'),
  })
})

it.each([
  ['ExpiredToken', 'have expired'],
  ['TimeoutError', 'did not respond in time'],
  ['AccessDenied', 'AWS denied access: details'],
])('explains %s and has a fix', (name, message) => {
  const failure = failureOf(named(name, 'details'))
  expect(failure.message).toContain(message)
  expect(failure.fix).toBeTruthy()
})

it('says why a platform cannot be reached', () => {
  const cause = new Error('host shop.invalid not found')
  expect(failureOf(new UpstreamFailure('unreachable', { cause }))).toEqual({
    exitCode: 1,
    message: 'The call to the platform failed: host shop.invalid not found.',
    fix: expect.stringContaining('upstream.baseUrl'),
  })
  expect(failureOf(new UpstreamFailure('timeout'))).toEqual({
    exitCode: 1,
    message: 'The call to the platform failed: the platform timed out.',
  })
})

it('has exit code 130 for an interrupt', () => {
  expect(failureOf(new Interrupted('Interrupted.'))).toMatchObject({ exitCode: 130 })
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
