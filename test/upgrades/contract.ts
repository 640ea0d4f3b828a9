import { itemVersion } from '../../stored/item-version.ts'
import { configurations } from '../infra/configurations.ts'
import { synthesize } from '../infra/synthesize.ts'
import { itemOf, type Recording } from './recording.ts'
import { generalized, type Shape, shapeOf } from './shapes.ts'

export const contractFile = new URL('contract.json', import.meta.url)

/**
 * What must not change by accident, because a deployed version depends on it: resources that CloudFormation would
 * replace or create twice, and what functions store, send and receive.
 */
export function contractOf(recording: Recording): object {
  const bundle = synthesize(configurations['with AWS identities and entities'])
  const templates = Object.values(bundle.templates).map((text) => JSON.parse(text) as Template)
  return {
    // Under another logical id, a resource with a name of its own collides with the deployed one.
    resources: sorted(
      bundle.resources.flatMap(({ stack, id, type, properties }) => {
        const isStateful = statefulTypes.includes(type)
        const { AlarmName, DashboardName, RouteKey, Name, DatabaseInput, TableInput } = properties
        const stored = isStateful
          ? [Name, properties[namedBy(type)], DatabaseInput?.Name, TableInput?.Name]
          : []
        const names = [AlarmName, DashboardName, RouteKey, ...stored].filter((name) => name !== undefined)
        if (!isStateful && names.length === 0) return []
        return [[`${stack}.${id}`, [type, ...names.map((name) => JSON.stringify(name))].join(' ')]]
      }),
    ),
    tableKeys: bundle.of('AWS::DynamoDB::Table').map(({ properties }) => properties.KeySchema),
    outputs: Object.keys(bundle.outputs)
      .filter((name) => !name.includes('ExportsOutput'))
      .toSorted(),
    exports: templates
      .flatMap(({ Outputs = {} }) => Object.values(Outputs).flatMap(({ Export }) => Export?.Name ?? []))
      .toSorted(),
    functionInputs: functionInputs(recording.definition as Definition),
    itemVersion,
    items: itemShapes(recording),
    objects: objectShapes(recording),
    events: shapes(recording.events.map(({ type, detail }) => [type, detail])),
  }
}

/** As JSON with one line per resource, and per member of what is stored, followed by the members inside it. */
export const renderedContract = (contract: object) =>
  JSON.stringify(contract, null, 2)
    .replaceAll(/^ +"(\w+)\b.*: "[a-z |]+",(\n +"\1[.[].*)+$/gm, (lines) =>
      lines.replaceAll(/(?<=.)\n +/g, ' '),
    )
    .replaceAll(/[[{]\n[^[\]{}]{1,1200}\n +[\]}]/g, (lines) => lines.replaceAll(/\n +/g, ' '))

interface Template {
  readonly Outputs?: Readonly<Record<string, { readonly Export?: { readonly Name: string } }>>
}

interface Definition {
  readonly States: Readonly<Record<string, { readonly Parameters?: object }>>
}

/** What is lost, or gets another address, if CloudFormation replaces the resource. */
const statefulTypes = [
  ...'AWS::ApiGatewayV2::Api AWS::DynamoDB::Table AWS::Glue::Database AWS::Glue::Table'.split(' '),
  ...'AWS::Logs::LogGroup AWS::S3::Bucket AWS::S3::BucketPolicy AWS::SNS::Topic'.split(' '),
  ...'AWS::SQS::Queue AWS::SecretsManager::Secret AWS::Scheduler::Schedule'.split(' '),
  'AWS::StepFunctions::StateMachine',
]

/** Executions continue with the definition that they began with, and pass this to the newest functions. */
const functionInputs = ({ States }: Definition) =>
  Object.fromEntries(
    Object.entries(States).flatMap(([name, { Parameters }]) => (Parameters ? [[name, Parameters]] : [])),
  )

/** The property with the name of a resource: `LogGroupName` of `AWS::Logs::LogGroup`. */
const namedBy = (type: string) => `${type.split('::').at(-1)}Name`

/** By partition and sort key. */
function itemShapes({ items, entities }: Recording) {
  return shapes(
    items.map((item) => {
      const { pk, sk, ...attributes } = itemOf(item)
      return [`${keyPattern(pk, entities)} / ${keyPattern(sk, entities)}`, attributes]
    }),
  )
}

/** By key. Only JSON has a shape. */
function objectShapes({ objects, entities }: Recording) {
  return shapes(
    Object.entries(objects).map(([key, body]) => {
      const text = Buffer.from(body, 'base64').toString()
      return [keyPattern(key, entities), key.endsWith('.json') ? (JSON.parse(text) as unknown) : null]
    }),
  )
}

function keyPattern(key: string, entities: Recording['entities']): string {
  const names = entities.map(({ name }) => name).toSorted((one, other) => other.length - one.length)
  return generalized(key)
    .replace(new RegExp(`(?<=[/#])(${names.join('|')})(?=[/.]|$)`), '<entity>')
    .replace(/^(idempotency#).*/, '$1<id>')
}

function shapes(values: readonly (readonly [string, unknown])[]): Readonly<Record<string, Shape>> {
  const kinds = [...new Set(values.map(([kind]) => kind))].toSorted()
  return Object.fromEntries(
    kinds.map((kind) => [kind, shapeOf(values.filter(([own]) => own === kind).map(([, value]) => value))]),
  )
}

const sorted = (entries: readonly (readonly string[])[]) =>
  Object.fromEntries(entries.toSorted(([one = ''], [other = '']) => one.localeCompare(other)))
