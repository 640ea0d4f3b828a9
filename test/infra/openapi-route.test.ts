import { expect, it } from 'vitest'
import { type Bundle, permissions, synthesise } from './synthesise.ts'

const routeOf = (bundle: Bundle) =>
  bundle
    .of('AWS::ApiGatewayV2::Route')
    .map(({ properties }) => properties)
    .find(({ RouteKey }) => RouteKey === 'GET /openapi.json')

it('the description needs an AWS identity, as every route does', () => {
  expect(routeOf(synthesise())).toMatchObject({ AuthorizationType: 'AWS_IAM' })
})

it('the description needs a token, but no scope of it', () => {
  const bundle = synthesise({
    auth: { type: 'jwt', issuer: 'https://login.example.com/', audience: ['longshore'] },
  })
  expect(routeOf(bundle)).toMatchObject({ AuthorizationType: 'JWT' })
  expect(routeOf(bundle)).not.toHaveProperty('AuthorizationScopes')
})

it('the description may do nothing but log', () => {
  const allowed = permissions(synthesise()).filter(({ policy }) => policy.startsWith('Description'))
  expect(allowed.flatMap(({ actions }) => actions).sort()).toEqual([
    'logs:CreateLogStream',
    'logs:PutLogEvents',
  ])
})
