import { expect, it } from 'vitest'
import { type Bundle, permissions, synthesize } from './synthesize.ts'

const routeOf = (bundle: Bundle) =>
  bundle
    .of('AWS::ApiGatewayV2::Route')
    .map(({ properties }) => properties)
    .find(({ RouteKey }) => RouteKey === 'GET /openapi.json')

it('GET /openapi.json needs an AWS identity, like every route', () => {
  expect(routeOf(synthesize())).toMatchObject({ AuthorizationType: 'AWS_IAM' })
})

it('GET /openapi.json needs a token, but no scope', () => {
  const bundle = synthesize({
    auth: { type: 'jwt', issuer: 'https://login.example.com/', audience: ['longshore'] },
  })
  expect(routeOf(bundle)).toMatchObject({ AuthorizationType: 'JWT' })
  expect(routeOf(bundle)).not.toHaveProperty('AuthorizationScopes')
})

it('the function of the OpenAPI document may only write its log', () => {
  const allowed = permissions(synthesize()).filter(({ policy }) => policy.startsWith('OpenApi'))
  // Every function leaves a network that is removed.
  const actions = allowed.flatMap((one) => one.actions).filter((action) => !action.startsWith('ec2:'))
  expect(actions.sort()).toEqual(['logs:CreateLogStream', 'logs:PutLogEvents'])
})
