import { readFileSync } from 'node:fs'
import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, test } from 'vitest'
import { openapiRoutes } from '../../../functions/http/openapi-routes.ts'
import { problems } from '../../../functions/http/result.ts'
import { syncRoutes } from '../../../functions/http/sync-routes.ts'
import { endpointsWith } from '../../../functions/platform/configured-endpoints.ts'
import { endpoints, isConditional } from '../../../functions/platform/endpoints.ts'
import { placeholders } from '../../../functions/platform/query-names.ts'
import { exampleDocument, exampleFile, rendered } from '../../../scripts/openapi.ts'
import { configured } from '../../endpoints.ts'
import {
  byIam,
  byJwt,
  described,
  operationOf,
  operationsOf,
  parametersOf,
  resolved,
  validatorFor,
  withEndpoints,
} from './described.ts'

// biome-ignore lint/suspicious/noExplicitAny: a document read as JSON has no types
type Json = any

const ownRoutes = [...syncRoutes, ...openapiRoutes]
const builtIn = [...endpoints, ...ownRoutes]
const withConfigured = endpointsWith(configured)
const documents = [
  ['with AWS identities', byIam, builtIn],
  ['with tokens', byJwt, builtIn],
  ['with configured endpoints', withEndpoints, [...withConfigured, ...ownRoutes]],
] as const

describe.each(documents)('the OpenAPI document %s', (_, document, routes) => {
  test('is valid OpenAPI 3.1', async () => {
    const copy = JSON.parse(JSON.stringify(document))
    await expect(new Validator().validate(copy)).resolves.toEqual({ valid: true })
  })

  test('has every route of the tables and no other', () => {
    const described = operationsOf(document).map(({ route }) => route)
    expect(described.sort()).toEqual(routes.map(({ method, path }) => `${method} ${path}`).sort())
  })

  test('gives each operation a unique id', () => {
    const ids = operationsOf(document).map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(routes.length)
    for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z]+$/)
  })

  test('gives each operation a summary and a description', () => {
    const incomplete = operationsOf(document).filter(
      ({ operation }) => !operation.summary || !operation.description,
    )
    expect(incomplete.map(({ route }) => route)).toEqual([])
  })

  test('describes exactly the tags that it uses', () => {
    const used = operationsOf(document).flatMap(({ operation }) => operation.tags)
    expect(new Set(used)).toEqual(new Set(document.tags.map(({ name }) => name)))
  })

  test.each(operationsOf(document).map((described) => [described.route, described] as const))(
    '%s declares the parameters of its path, and no other in the path',
    (_route, { path, operation }) => {
      const inPath = parametersOf(document, operation).filter((one) => one.in === 'path')
      const names = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name as string)
      expect(inPath.map((one) => one.name).sort()).toEqual(names.sort())
      for (const one of inPath) expect(one).toMatchObject({ required: true })
    },
  )

  test.each(operationsOf(document).map((described) => [described.route, described] as const))(
    '%s has its security scheme and the errors of API Gateway',
    (_route, { operation }) => {
      const schemes = operation.security.flatMap((one: object) => Object.keys(one))
      expect(schemes).toEqual(Object.keys(document.components.securitySchemes))
      expect(operation.responses).toHaveProperty('403')
      expect(operation.responses).toHaveProperty('429')
      expect(operation.responses).toHaveProperty('default')
      expect('401' in operation.responses).toBe(document === byJwt)
    },
  )

  test('lists every problem of an operation with its status', () => {
    const listed = operationsOf(document).flatMap(({ operation }) =>
      Object.entries<{ content?: Record<string, { schema: never }> }>(operation.responses).flatMap(
        ([status, response]) => typesIn(resolved(document, response)).map((type) => `${status} ${type}`),
      ),
    )
    const all = Object.entries(problems).map(
      ([name, { status }]) => `${status} urn:longshore:problem:${name}`,
    )
    expect([...new Set(listed)].sort()).toEqual(all.sort())
  })

  test('resolves every reference and uses every component', () => {
    const references = new Set(
      [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(
        ([, reference]) => reference as string,
      ),
    )
    expect([...references].filter(($ref) => resolved(document, { $ref }) === undefined)).toEqual([])
    const { securitySchemes: _schemes, ...components } = document.components
    const parts = Object.entries(components).flatMap(([kind, named]) =>
      Object.keys(named).map((name) => `#/components/${kind}/${name}`),
    )
    expect(parts.sort()).toEqual([...references].sort())
  })

  test('has examples that match their schemas', () => {
    const validate = validatorFor(document)
    const examples = examplesIn(document)
    const wrong = examples.map((one) => ({ ...one, error: validate(one.schema, one.example) }))
    expect(wrong.filter(({ error }) => error !== undefined)).toEqual([])
    expect(examples.length).toBeGreaterThan(20)
  })
})

test('a token needs the scope of the route, and none for the OpenAPI document', () => {
  const scopes = Object.fromEntries(
    operationsOf(byJwt).map(({ route, operation }) => [
      route,
      / The token needs the scope `(.+)`\.$/.exec(operation.description)?.[1],
    ]),
  )
  for (const { method, path, scope } of [...endpoints, ...syncRoutes])
    expect(scopes[`${method} ${path}`]).toBe(scope)
  expect(scopes['GET /openapi.json']).toBeUndefined()
})

test('the IAM scheme has the extension that API Gateway reads', () => {
  expect(byIam.components.securitySchemes).toEqual({
    iam: expect.objectContaining({
      type: 'apiKey',
      in: 'header',
      name: 'Authorization',
      'x-amazon-apigateway-authtype': 'awsSigv4',
    }),
  })
})

test('the JWT scheme names issuer and audiences', () => {
  const { jwt } = byJwt.components.securitySchemes
  expect(jwt).toMatchObject({ type: 'http', scheme: 'bearer' })
  expect(jwt?.description).toMatch(/https:\/\/login\.example\.com\/.*longshore or shop/)
})

describe.each(withConfigured)('$name', ({ method, path, query, otherQuery, ...entry }) => {
  const document = entry.name.startsWith('get-') ? withEndpoints : byJwt
  const operation = operationOf(document, `${method} ${path}`)
  const parameters = (place: string): string[] =>
    parametersOf(document, operation)
      .filter((one) => one.in === place)
      .map(({ name }) => name)

  test('has the query parameters of its entry, and one for others if the entry allows them', () => {
    const others = otherQuery === 'none' ? [] : [placeholders[otherQuery]]
    expect(parameters('query')).toEqual([...query, ...others])
  })

  test('has the headers of its entry, and an Idempotency-Key if it is a PATCH', () => {
    const toldOtherwise = ['accept', 'accept-encoding', 'content-type']
    const listed = entry.requestHeaders.filter((name) => !toldOtherwise.includes(name))
    const expected = [...listed, ...(method === 'PATCH' ? ['idempotency-key'] : [])]
    expect(parameters('header').map((name) => name.toLowerCase())).toEqual(expected)
  })

  test('has a body if its entry has one', () => {
    expect(operation.requestBody?.required).toBe(entry.body === 'none' ? undefined : true)
  })

  test('has the response headers of its entry with 200, and those of every endpoint with any status', () => {
    const expected = entry.responseHeaders
      .filter((name) => name !== 'content-type')
      .map((name) => name.replace('{prefix}', 'x-vendor'))
      .concat(
        'longshore-warning',
        entry.nextPage ? ['link'] : [],
        method === 'PATCH' ? ['idempotency-replayed'] : [],
        isConditional(entry) ? ['cache-control'] : [],
      )
    expect(Object.keys(operation.responses['200'].headers)).toEqual(expected)
    for (const response of Object.values(operation.responses)) {
      const headers = Object.keys(resolved(document, response).headers)
      for (const name of ['content-encoding', 'retry-after', 'longshore-warning'])
        expect(headers).toContain(name)
    }
  })

  test('allows any status of the platform, and describes any error with a type that generators keep', () => {
    const { '200': _ok, '204': _end, '2XX': _updated, '304': same, ...errors } = operation.responses
    expect(same !== undefined).toBe(isConditional(entry))
    expect(errors).toHaveProperty('default')
    const platform = { $ref: '#/components/schemas/PlatformError' }
    for (const response of Object.values(errors)) {
      const { content } = resolved(document, response)
      const { 'application/problem+json': problem, ...others } = content
      expect(problem?.schema.anyOf.at(-1) ?? platform).toEqual(platform)
      expect(others).toMatchObject({
        'application/json': { schema: platform },
        '*/*': { schema: { type: 'string' } },
      })
    }
  })
})

test('what every configured endpoint shares is described once', () => {
  const two = ['/api/a', '/api/b'].map((path) => ({ path, area: 'a' }))
  const sizes = [two.slice(1), two].map((endpoints) => JSON.stringify(described({ endpoints })).length)
  expect((sizes[1] ?? 0) - (sizes[0] ?? 0)).toBeLessThan(2_200)
})

test('ids of operations that would be the same or differ only in case have a number', () => {
  const paths = ['/api/a.b', '/api/a/b', '/api/aB/{id}', '/api/a/b/{id}']
  const ids = operationsOf(described({ endpoints: paths.map((path) => ({ path, area: 'a' })) }))
    .map(({ operation }) => operation.operationId)
    .filter((id) => id.startsWith('getApi'))
  expect(ids).toEqual(['getApiAB', 'getApiAB_1', 'getApiABId', 'getApiABId_3'])
})

test('docs/openapi.json is the output of npm run check -- openapi', () => {
  expect(
    readFileSync(exampleFile, 'utf8') === rendered(exampleDocument()),
    'Run npm run check -- openapi, and commit docs/openapi.json.',
  ).toBe(true)
})

/** The `type` values that a response's problem may have. */
function typesIn(response: Json): string[] {
  return response.content?.['application/problem+json']?.schema.anyOf[0].properties.type.enum ?? []
}

/** Every example of bodies and parameters, with its schema. */
function examplesIn(document: object): { schema: object; example: unknown }[] {
  const found: { schema: object; example: unknown }[] = []
  const look = (value: Json) => {
    if (typeof value !== 'object' || value === null) return
    if (value.schema && 'example' in value) found.push({ schema: value.schema, example: value.example })
    if (value.schema && 'examples' in value) {
      for (const one of Object.values(value.examples))
        found.push({ schema: value.schema, example: resolved(document, one).value })
    }
    for (const inside of Object.values(value)) look(inside)
  }
  look(document)
  return found
}
