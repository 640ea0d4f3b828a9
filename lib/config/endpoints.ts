import * as v from 'valibot'
import { areas } from '../../functions/platform/areas.ts'
import { endpoints as builtIn } from '../../functions/platform/endpoints.ts'
import { credentialName } from '../../functions/platform/query-names.ts'
import { isObject } from '../../functions/runtime/json-object.ts'
import { unknownKeyMessage } from '../../functions/runtime/settings-schema/key-suggestion.ts'
import {
  describeValue,
  itemsOf,
  pathTo,
  plainObject,
  primitive,
  primitiveWhere,
  strictObject,
} from '../../functions/runtime/settings-schema/schema-parts.ts'
import { distinctList } from './distinct-list.ts'
import { secretName } from './secret-name.ts'

/** What a text must not match, and why. */
type Errors = readonly (readonly [pattern: RegExp, error: string])[]

const textWithout = (expected: string, errors: Errors) =>
  primitive<string>('string', expected, (value) => findError(value, errors))

function findError(value: string, errors: Errors): string | undefined {
  const found = errors.find(([pattern]) => pattern.test(value))
  return found && `${describeValue(value)} ${found[1]}`
}

const pathErrors: Errors = [
  [/^[A-Za-z]+\s/, 'begins with a method; only GET is served, so write the path alone'],
  [/[?#]/, "contains ? or #; write the path alone, and list parameters in 'query'"],
  [/[*+]/, 'contains a wildcard; write one {name} for each segment that varies'],
  [/^(?!\/api\/)/, "does not begin with /api/; use a path such as '/api/oms/pvt/orders/{orderId}'"],
  [/\/$/, 'ends with a slash; remove it'],
  [
    /\/(?!(?:(?!\.{1,2}(?:\/|$))[\w.~-]+|\{[A-Za-z_]\w{0,63}\})(?:\/|$))/,
    'has a segment that is neither letters, digits and . _ ~ - (but not . or ..) nor one {name}',
  ],
  [/(\{\w+\}).*\1/, 'has one {name} twice; give each segment another name'],
]

const areaErrors: Errors = [
  [/^(?![a-z][a-z0-9-]{0,39}$)/, "is not an area: a lower-case word, such as 'orders'"],
  // `all` selects every area in commands, and Longshore's own routes are in `syncs` and `openapi`.
  [/^(?:all|syncs|openapi|constructor)$/, 'is reserved; use another word'],
]

const scopeErrors: Errors = [
  [
    /^(?:subscriptions:write|syncs:read|syncs:run)$/,
    "is the scope of Longshore's own routes; use another one",
  ],
  // RFC 6749 section 3.3
  [/^(?![\x21\x23-\x5b\x5d-\x7e]{1,64}$)/, "is not a scope, such as 'orders:read'"],
]

const queryErrors: Errors = [
  [/^\s*$|\p{Cc}|\p{Cs}/u, 'is not the name of a parameter; remove it'],
  [/^\s*a\s*n\s*$/i, 'is accepted by every endpoint and not sent; remove it'],
  [/^x-amz-/i, 'belongs to a signature, which is not sent; remove it'],
  [credentialName, 'carries credentials, which are not sent; remove it'],
]

const headerErrors: Errors = [
  [/^(?![\w.-]+$)|^(?:constructor|__proto__)$/i, 'is not the name of a header; remove it'],
  // RFC 9110 section 7.6.1, and older ones.
  [
    /^(?:connection|keep-alive|proxy-connection|te|trailers?|transfer-encoding|upgrade)$/i,
    'belongs to one connection; remove it',
  ],
  [/^(?:set-)?cookie2?$/i, 'carries cookies; remove it'],
  [/^(?:(?:www|proxy)-auth.*|authentication-info)$/i, 'carries credentials; remove it'],
  [credentialName, 'carries credentials; remove it'],
  [/^(?:content-length|access-control-.*|x-amzn?-.*)$/i, 'is set by API Gateway; remove it'],
  [/^location$/i, 'leads to the platform; remove it'],
  [
    /^(?:longshore-warning|allow|apigw-requestid|cache-control|idempotency-replayed|link|vary)$/i,
    "is Longshore's own; remove it",
  ],
]

const query = v.lazy(
  (input): v.GenericSchema<readonly string[] | 'any', readonly string[] | 'any'> =>
    typeof input === 'string'
      ? primitiveWhere<'any'>('string', "'any' or a list of names", (value) => value === 'any')
      : distinctList(textWithout('the name of a parameter', queryErrors), {
          expected: "a list of names, such as ['status'], or 'any'",
        }),
)

const endpoint = v.pipe(
  strictObject({
    path: textWithout("a path of the platform, such as '/api/oms/pvt/orders/{orderId}'", pathErrors),
    area: textWithout("an area: a lower-case word, such as 'orders'", areaErrors),
    query: v.optional(query, []),
    responseHeaders: v.optional(
      distinctList(textWithout('the name of a header', headerErrors), {
        expected: "a list of names of headers, such as ['X-Total']",
      }),
      [],
    ),
    scope: v.optional(textWithout("a scope, such as 'orders:read'", scopeErrors)),
  }),
  v.transform(({ scope, responseHeaders, ...rest }) => ({
    ...rest,
    responseHeaders: responseHeaders.map((name) => name.toLowerCase()),
    scope: scope ?? `${rest.area}:read`,
  })),
)

const segmentsOf = (path: string) => path.toLowerCase().split('/').slice(1)
const isParameter = (segment: string | undefined) => segment?.startsWith('{')

/** Whether some path matches both templates, and whether one is literal wherever they differ. */
function overlap(one: string, other: string): 'none' | 'ordered' | 'ambiguous' {
  const [a, b] = [segmentsOf(one), segmentsOf(other)]
  const covers = (general: string[], special: string[]) =>
    general.map((segment, index) => isParameter(segment) || segment === special[index])
  const [forwards, backwards] = [covers(a, b), covers(b, a)]
  if (a.length !== b.length || !forwards.every((each, index) => each || backwards[index])) return 'none'
  return forwards.includes(false) === backwards.includes(false) ? 'ambiguous' : 'ordered'
}

const reads = builtIn.filter(({ method }) => method === 'GET').map(({ path }) => path)

/** Why nobody could tell which endpoint serves a path. */
function findOverlap(path: unknown, index: number, paths: readonly unknown[]): string | undefined {
  if (typeof path !== 'string' || findError(path, pathErrors)) return undefined
  const served = reads.find((read) => overlap(read, path) !== 'none')
  if (served)
    return `${describeValue(path)} matches paths of GET ${served}, which Longshore serves already; remove it`
  const first = paths.slice(0, index).findIndex((other) => overlap(String(other), path) === 'ambiguous')
  if (first === -1) return undefined
  return `${describeValue(path)} and endpoints[${first}] match the same paths; remove one, or make one of them literal wherever they differ`
}

export const endpointsSchema = v.pipe(
  itemsOf(
    endpoint,
    "a list of endpoints, such as [{ path: '/api/oms/pvt/orders/{orderId}', area: 'orders' }]",
  ),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!Array.isArray(dataset.value)) return
    const items = dataset.value
    const paths = items.map((item) => (Object(item) as { path?: unknown }).path)
    for (const [index, path] of paths.entries()) {
      const message = findOverlap(path, index, paths)
      if (message) addIssue({ message, path: pathTo(items, [index, 'path']) })
    }
    if (items.length > 100) addIssue({ message: `has ${items.length} endpoints; at most 100 are possible` })
  }),
)

/** An existing secret for each area that has its own. `findAreaErrors` checks the areas. */
export const credentialsSchema = v.pipe(
  plainObject("an object of secrets by area, such as { documents: 'shop/documents' }"),
  v.record(v.string(), v.optional(secretName())),
) as v.GenericSchema<Readonly<Record<string, string | undefined>>, Readonly<Record<string, string>>>

/** Secrets of areas that do not exist, and areas without one where the built-in areas do not share one. */
export function findAreaErrors({ credentials, endpoints }: Readonly<Record<string, unknown>>) {
  const used = (Array.isArray(endpoints) ? endpoints : []).map(
    (item) => (Object(item) as { area?: unknown }).area,
  )
  const known = [...new Set([...areas, ...used.filter((area) => typeof area === 'string')])]
  const secrets = isObject(credentials) ? credentials : {}
  const unknown = Object.keys(secrets)
    .filter((area) => !known.includes(area))
    .map((area) => ({ keys: ['credentials', area], message: unknownKeyMessage(area, known) }))
  if (areas.some((area) => secrets[area] === undefined)) return unknown
  const without = used.flatMap((area, index) => {
    if (typeof area !== 'string' || secrets[area] !== undefined) return []
    const message = `${describeValue(area)} has no secret, and the areas ${areas.join(', ')} do not share one; add credentials.${area}`
    return [{ keys: ['endpoints', index, 'area'], message }]
  })
  return [...unknown, ...without]
}
