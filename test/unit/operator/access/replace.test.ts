import { expect, it, onTestFinished } from 'vitest'
import { localCredentials, startPlatform } from '../../../../local/stand-in/platform.ts'
import type { CredentialCheck } from '../../../../operator/access/check.ts'
import { replaceCredentials } from '../../../../operator/access/replace.ts'
import { CommandError, Interrupted } from '../../../../operator/errors.ts'
import { serveSecret } from '../served-secrets.ts'

const former = { appKey: 'former-key', appToken: 'former-token' }

/** Replaces the credentials of a secret by those that the platform accepts. */
async function replace({
  accept = () => undefined,
  signal = new AbortController().signal,
  refused,
}: {
  readonly accept?: (checks: readonly CredentialCheck[]) => void
  readonly signal?: AbortSignal
  readonly refused?: string
}) {
  const platform = await startPlatform({ documents: {} })
  onTestFinished(() => platform.close())
  const secret = await serveSecret(former, refused === undefined ? {} : { refused })
  const upstream = {
    baseUrl: platform.url,
    headerPrefix: 'X-SVC',
    searchPath: '/search/{data_entity}',
    timeoutSeconds: 25,
  }
  const result = replaceCredentials(
    {
      secrets: secret.store,
      secretId: 'shop',
      served: ['logistics', 'documents'],
      toCheck: ['logistics'],
      credentials: localCredentials,
    },
    { settings: { upstream, entities: [] } as never, accept, signal },
  )
  return { ...secret, result }
}

it('credentials that are accepted become the current ones', async () => {
  const seen: (readonly CredentialCheck[])[] = []
  const { result, current, stages } = await replace({ accept: (checks) => seen.push(checks) })
  const { checks } = await result
  expect(checks).toMatchObject([{ area: 'logistics', outcome: 'accepted' }])
  expect(seen).toEqual([checks])
  expect(current()).toEqual(localCredentials)
  expect(stages()).toEqual(['AWSCURRENT', 'AWSPREVIOUS'])
})

const notAccepted = new CommandError('They are rejected.')

it.each<[name: string, given: Parameters<typeof replace>[0], error: object]>([
  [
    'if the others are not accepted',
    {
      accept: () => {
        throw notAccepted
      },
    },
    notAccepted,
  ],
  ['if a person interrupts the check', { signal: AbortSignal.abort() }, expect.any(Interrupted)],
  ['if they cannot be replaced', { refused: 'AWSCURRENT' }, { name: 'AccessDeniedException' }],
])('the former credentials stay %s, and nothing is left of the others', async (_, given, error) => {
  const { result, current, stages } = await replace(given)
  await expect(result).rejects.toMatchObject(error)
  expect(current()).toEqual(former)
  expect(stages()).toEqual(['AWSCURRENT'])
})
