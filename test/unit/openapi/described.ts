import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { describeApi } from '../../../functions/openapi/openapi.ts'
import { type ConfigurationInput, resolveConfig, settingsOf } from '../../../lib/config.ts'
import { endpoints } from '../../endpoints.ts'

export const described = (change: Partial<ConfigurationInput>) =>
  describeApi(settingsOf(resolveConfig({ upstream: { baseUrl: 'https://shop.example.com' }, ...change })))

export const jwt: ConfigurationInput['auth'] = {
  type: 'jwt',
  issuer: 'https://login.example.com/',
  audience: ['longshore', 'shop'],
}

export const byIam = described({ entities: ['CL', 'AD'].map((name) => ({ name, schedule: 'rate(1 day)' })) })
export const withEndpoints = described({ endpoints })
export const byJwt = described({
  name: 'Shop',
  upstream: { baseUrl: 'https://shop.example.com', headerPrefix: 'X-VENDOR' },
  auth: jwt,
})

// biome-ignore lint/suspicious/noExplicitAny: a document read as JSON has no types
type Json = any

export interface Described {
  readonly route: string
  readonly path: string
  readonly operation: Json
}

/** Every operation of a document, as `GET /path`. */
export function operationsOf(document: { readonly paths: object }): Described[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods as object).map(([method, operation]) => ({
      route: `${method.toUpperCase()} ${path}`,
      path,
      operation,
    })),
  )
}

export function operationOf(document: { readonly paths: object }, route: string): Json {
  return operationsOf(document).find((described) => described.route === route)?.operation
}

/** The target of a reference into the document. Any other value is returned unchanged. */
export function resolved(document: object, value: Json): Json {
  if (typeof value?.$ref !== 'string') return value
  const path = value.$ref.split('/').slice(1)
  return path.reduce((inside: Json, key: string) => inside?.[key], document)
}

/** The parameters of an operation, with those that it refers to. */
export const parametersOf = (
  document: object,
  operation: Json,
): { name: string; in: string; schema: object }[] =>
  (operation.parameters ?? []).map((one: Json) => resolved(document, one))

/** Returns a function that validates values by schemas of the document: undefined for a valid value. Throws for an invalid schema. */
export function validatorFor({ components }: { readonly components: object }) {
  const ajv = new Ajv2020({ allowUnionTypes: true, strictTypes: false, strictRequired: false })
  formats.default(ajv)
  ajv.addVocabulary(['components'])
  // Its components are compiled once, and not with each schema that refers to them.
  ajv.addSchema({ $id: 'api', components })
  const compiled = new Map<object, ValidateFunction>()
  const compile = (schema: object) =>
    ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"api#/')))
  return (schema: object, value: unknown): string | undefined => {
    const validate = compiled.get(schema) ?? compile(schema)
    compiled.set(schema, validate)
    return validate(value) ? undefined : ajv.errorsText(validate.errors)
  }
}
