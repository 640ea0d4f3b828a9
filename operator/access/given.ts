import type { CredentialsSource } from '../../functions/upstream/credential-cache.ts'
import type { KeyAndToken } from '../aws/secrets.aws.ts'

/** Credentials that a person gives to one command. No newer ones replace them. */
export const givenCredentials = ({ appKey, appToken }: KeyAndToken): CredentialsSource => ({
  get: async () => ({ appKey, appToken, version: 'given' }),
  renew: async () => undefined,
})
