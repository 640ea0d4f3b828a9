import { describe, expect, it } from 'vitest'
import { requireAccepted, secretFor } from '../../../cli/commands/credentials.ts'
import { type CredentialCheck, outcomeOf } from '../../../cli/doctor/credential-check.ts'
import { parseCredentials } from '../../../cli/shell/prompt-credentials.ts'

describe('credentials from standard input', () => {
  const credentials = { appKey: 'k-3y', appToken: 't0-ken' }

  it.each([
    '{"appKey":"k-3y","appToken":"t0-ken"}',
    ' {"appKey": " k-3y", "appToken": "t0-ken\\n", "more": 1}\n',
    'k-3y\nt0-ken\n',
    'k-3y\r\nt0-ken',
  ])('are read from %j', (input) => {
    expect(parseCredentials(input)).toEqual(credentials)
  })

  it.each(['', 'only-one', 'k-3y\nt0-ken\nmore', '{"appKey":"k-3y"}', '{"appKey', 'k 3y\nt0-ken'])(
    'are refused in the form %j, without repeating them',
    (input) => {
      expect(() => parseCredentials(input)).toThrow(/standard input/)
      expect(() => parseCredentials(input)).not.toThrow(/k.3y|t0-ken/)
    },
  )
})

describe('a credential check', () => {
  it.each([
    [200, 'accepted'],
    [206, 'accepted'],
    [404, 'accepted'],
    [401, 'rejected'],
    [403, 'rejected'],
    [302, 'inconclusive'],
    [429, 'inconclusive'],
    [500, 'inconclusive'],
  ])('reads status %i as %s', (status, outcome) => {
    expect(outcomeOf(status)).toBe(outcome)
  })

  const check = (area: CredentialCheck['area'], outcome: CredentialCheck['outcome']): CredentialCheck => ({
    area,
    outcome,
    detail: 'd',
  })
  const accepted = check('documents', 'accepted')

  it('passes if every checked area accepts, or none was checked', () => {
    expect(() => requireAccepted([accepted, check('subscriptions', 'not-checked')])).not.toThrow()
    expect(() => requireAccepted([])).not.toThrow()
  })

  it('fails if one area rejects the credentials, and names an area that accepts them', () => {
    const run = () => requireAccepted([accepted, check('logistics', 'rejected')])
    expect(run).toThrow(/rejects these credentials \(logistics: d\)/)
    expect(run).toThrow(expect.objectContaining({ fix: expect.stringContaining('--area documents') }))
  })

  it('fails if one area is inconclusive', () => {
    expect(() => requireAccepted([accepted, check('logistics', 'inconclusive')])).toThrow(/Cannot tell/)
  })
})

it('requires --area only if the areas do not share one secret', () => {
  const one = { logistics: 's', subscriptions: 's', documents: 's' }
  expect(secretFor({ secretIds: one }, undefined)).toBe('s')
  expect(secretFor({ secretIds: { ...one, documents: 'd' } }, 'documents')).toBe('d')
  expect(() => secretFor({ secretIds: { ...one, documents: 'd' } }, undefined)).toThrow(/--area/)
})
