import { expect, it } from 'vitest'
import { ConfigurationError, resolveConfig } from '../../../lib/config.ts'

export const upstream = { baseUrl: 'https://shop.example.com' }
export const entity = { name: 'CL', schedule: 'rate(6 hours)' }
export const keyId = '1234abcd-12ab-34cd-56ef-1234567890ab'

/** A correct configuration except for these keys. */
export const withKeys = (keys: object): object => ({ upstream, ...keys })
export const withEntity = (keys: object): object => withKeys({ entities: [{ ...entity, ...keys }] })
export const certificateArn = `arn:aws:acm:eu-west-1:123456789012:certificate/${keyId}`
export const withDomain = (keys: object): object =>
  withKeys({ domain: { name: 'longshore.example.com', certificateArn, ...keys } })
export const network = {
  vpcId: 'vpc-0123456789abcdef0',
  subnetIds: ['subnet-0123456789abcdef0', 'subnet-0123456789abcdef1'],
}
export const withNetwork = (keys: object): object => withKeys({ network: { ...network, ...keys } })
export const idsOf = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${prefix}-${String(index).padStart(8, '0')}`)
export const role = 'arn:aws:iam::210987654321:role/reports'
export const withReader = (keys: object): object =>
  withKeys({ entities: [entity], readers: [{ role, ...keys }] })
export const readersOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ role: `${role}-${index}`, entities: ['CL'] }))
export const tagsOf = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`t${index}`, 'x']))
export const withAuth = (keys: object): object =>
  withKeys({ auth: { type: 'jwt', issuer: 'https://x.example', audience: ['a'], ...keys } })
export const withUpstream = (keys: object): object => ({ upstream: { ...upstream, ...keys } })

export function errorsIn(input: unknown, region?: string): readonly string[] {
  try {
    resolveConfig(input, 'The configuration', { region })
  } catch (error) {
    if (error instanceof ConfigurationError) return error.errors
    throw error
  }
  return []
}

/** Each change of a correct configuration has exactly one error, which begins with the path and the text. */
export const itNames = <Change>(
  configure: (change: Change) => unknown,
  path: string,
  rows: readonly (readonly [change: Change, text: string])[],
) =>
  it.each(rows)(`%j: ${path}%s`, (change, text) => {
    const error = path + text
    expect(errorsIn(configure(change)).map((each) => each.slice(0, error.length))).toEqual([error])
  })
