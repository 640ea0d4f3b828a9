import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { promptCredentials } from '../../../cli/credentials/prompt.ts'
import {
  areasToCheck,
  missingSecretFix,
  requireAccepted,
  secretFor,
  storedText,
} from '../../../cli/credentials/results.ts'
import type { CredentialCheck } from '../../../operator/access/check.ts'
import { failureOf } from '../../../operator/errors.ts'

describe('credentials from standard input', () => {
  const credentials = { appKey: 'k-3y', appToken: 't0-ken' }
  const entered = (input: string) =>
    promptCredentials({ isInteractive: false, input: Readable.from(input) } as never)

  it.each([
    '{"appKey":"k-3y","appToken":"t0-ken"}',
    ' {"appKey": " k-3y", "appToken": "t0-ken\\n", "more": 1}\n',
    'k-3y\nt0-ken\n',
    'k-3y\r\nt0-ken',
  ])('are read without a prompt from %j', async (input) => expect(await entered(input)).toEqual(credentials))

  it.each(['', 'only-one', 'k-3y\nt0-ken\nmore', '{"appKey":"k-3y"}', '{"appKey', 'k 3y\nt0-ken'])(
    'are refused in the form %j, without repeating them',
    async (input) => {
      await expect(entered(input)).rejects.toThrow(
        /^Cannot read the credentials from standard input\. Send {"appKey":"…","appToken":"…"}, or the app key and the app token on two lines, without spaces\.$/,
      )
    },
  )
})

describe('a credential check', () => {
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

  const failureFor = (checks: readonly CredentialCheck[]) => {
    try {
      requireAccepted(checks)
    } catch (error) {
      return failureOf(error)
    }
    return undefined
  }
  const rejected = check('logistics', 'rejected')

  it.each([
    [
      'one area rejects them and another accepts them',
      [accepted, rejected],
      'The platform rejects these credentials (logistics: d). The previous credentials stay in use.',
      'if these credentials are only for the documents area, check only that area: --area documents',
    ],
    [
      'every area rejects them',
      [rejected, check('documents', 'rejected')],
      'The platform rejects these credentials (logistics: d; documents: d). The previous credentials stay in use.',
      'check the credentials on the platform and set them again',
    ],
    [
      'one area is inconclusive',
      [accepted, check('logistics', 'inconclusive')],
      'Cannot tell whether the credentials are valid (logistics: d). The previous credentials stay in use.',
      'try again later, or store them with --skip-check',
    ],
  ])('fails if %s', (...[, checks, message, fix]) => {
    expect(failureFor(checks)).toEqual({ kind: 'problem', message, fix })
  })

  it('names what was stored and what was checked', () => {
    const checks = [accepted, check('subscriptions', 'not-checked'), check('logistics', 'inconclusive')]
    expect(storedText(['documents', 'subscriptions'], checks)).toEqual([
      'Stored the credentials for documents, subscriptions.',
      'Accepted: documents (d).',
      'Not checked: subscriptions (d).',
    ])
  })
})

it.each([
  [{ kind: 'local' }, 'restart `npm start`'],
  [
    { kind: 'stacks', name: 'Shop' },
    'create it, or remove it from the configuration and run npm run deploy -- -c name=Shop',
  ],
])('the fix of a missing secret of %j is %s', (target, fix) => {
  expect(missingSecretFix(target as never)).toBe(fix)
})

it('requires --area only if the areas do not share one secret', () => {
  const one = { logistics: 's', subscriptions: 's', documents: 's' }
  expect(secretFor({ secretIds: one }, undefined)).toBe('s')
  expect(secretFor({ secretIds: { ...one, documents: 'd' } }, 'documents')).toBe('d')
  expect(() => secretFor({ secretIds: { ...one, documents: 'd' } }, undefined)).toThrow(
    'The areas have their own secrets. Select one: --area logistics | subscriptions | documents.',
  )
  for (const area of ['orders', 'constructor'])
    expect(() => secretFor({ secretIds: one }, area)).toThrow(
      `There is no area ${area}. Select one: --area log`,
    )
})

it.each([
  [undefined, false, ['logistics', 'documents']],
  ['documents', false, ['documents']],
  [undefined, true, []],
  ['documents', true, []],
] as const)('with --area %s, --skip-check: %j, checks %j', (area, skipCheck, checked) => {
  expect(areasToCheck(['logistics', 'documents'], { area, skipCheck })).toEqual(checked)
})
