import { describe, expect, it } from 'vitest'
import { synthesize } from './synthesize.ts'

const boundaries = (permissionsBoundary?: string) =>
  synthesize({
    entities: [{ name: 'CL', schedule: 'rate(6 hours)' }],
    ...(permissionsBoundary && { permissionsBoundary }),
  })
    .of('AWS::IAM::Role')
    .map(({ properties }) => properties.PermissionsBoundary)

describe('a permissions boundary', () => {
  it('is set on no role by default', () => {
    expect(boundaries().filter(Boolean)).toEqual([])
  })

  it.each([
    [
      'by its ARN',
      'arn:aws:iam::123456789012:policy/teams/shop',
      /^"arn:aws:iam::123456789012:policy\/teams\/shop"$/,
    ],
    ['by its name', 'shop-boundary', /":iam::".*AccountId.*":policy\/shop-boundary"/],
  ])('is set on every role, %s', (_how, nameOrArn, expected) => {
    const found = boundaries(nameOrArn)
    expect(found.length).toBeGreaterThanOrEqual(6)
    for (const boundary of found) expect(JSON.stringify(boundary)).toMatch(expected)
  })
})
