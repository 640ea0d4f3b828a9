import type { ApiRoute } from '../http/lambda-functions.ts'
import type { Settings } from '../runtime/settings.ts'

/** The part of a deployment that its OpenAPI document describes. */
export type DescribedApi = Pick<Settings, 'name' | 'upstream' | 'entities' | 'auth' | 'endpoints'>

/** The parts of OpenAPI 3.1 that we use. A test checks the document with a public validator. */
export type OpenApiSchema = Readonly<Record<string, unknown>>

export interface MediaType {
  readonly schema: OpenApiSchema
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, Reference>>
}

export interface Reference {
  readonly $ref: string
}

export interface Header {
  readonly description: string
  readonly schema: OpenApiSchema
}

export interface Response {
  readonly description: string
  readonly headers?: Readonly<Record<string, Header | Reference>>
  readonly content?: Readonly<Record<string, MediaType>>
}

/** By status, range of statuses (`4XX`) or `default`. */
export type Responses = Readonly<Record<string, Response | Reference>>

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: true
  readonly description: string
  readonly schema: OpenApiSchema
  readonly style?: 'form'
  readonly explode?: true
  readonly example?: unknown
}

export interface OpenApiOperation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: {
    readonly required: boolean
    readonly description?: string
    readonly content: Readonly<Record<string, MediaType>>
  }
  readonly responses: Responses
}

/** An operation with its route and the scope that a token needs. */
export interface DescribedRoute extends ApiRoute {
  readonly operation: OpenApiOperation
}

export const schemaRef = (name: string): Reference & OpenApiSchema => ({
  $ref: `#/components/schemas/${name}`,
})
export const responseRef = (name: string): Reference => ({ $ref: `#/components/responses/${name}` })
export const parameterRef = (name: string): Reference => ({ $ref: `#/components/parameters/${name}` })
export const headerRef = (name: string): Reference => ({ $ref: `#/components/headers/${name}` })

/** `read-dock` becomes `readDock`, the function name in generated clients. */
export const operationIdOf = (name: string): string =>
  name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
