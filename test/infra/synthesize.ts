import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { App } from 'aws-cdk-lib'
import { type ConfigurationInput, resolveConfig } from '../../lib/config.ts'
import { createStacks } from '../../lib/stacks.ts'

export interface Resource {
  readonly stack: string
  readonly id: string
  readonly type: string
  // biome-ignore lint/suspicious/noExplicitAny: a template has no types
  readonly properties: any
  readonly deletionPolicy: string | undefined
  readonly updateReplacePolicy: string | undefined
  readonly metadata: Readonly<Record<string, unknown>>
}

export interface Bundle {
  readonly resources: readonly Resource[]
  readonly outputs: Readonly<Record<string, unknown>>
  /** As they would be sent to CloudFormation, by stack. */
  readonly templates: Readonly<Record<string, string>>
  /** The stacks that must be deployed before each stack. */
  readonly dependencies: Readonly<Record<string, readonly string[]>>
  of(type: string): readonly Resource[]
  /** The only resource of a type. Throws unless there is exactly one. */
  only(type: string): Resource
  /** The files that are uploaded for a function, and its settings. */
  codeOf(lambda: Resource): { files: readonly string[]; settings: unknown }
}

/** The context that the CDK CLI passes to the app. */
export const cdkContext: Record<string, unknown> = JSON.parse(
  readFileSync(new URL('../../cdk.json', import.meta.url), 'utf8'),
).context

/** The files of one vitest worker share this: synthesis is most of what these tests cost. */
const synthesized = new Map<string, Bundle>()

/** All stacks of a configuration, as templates that tests can query. Each configuration is synthesized once. */
export function synthesize(change: Partial<ConfigurationInput> = {}): Bundle {
  const key = JSON.stringify(change)
  const known = synthesized.get(key)
  if (known) return known
  const bundle = synthesizeApp(change, (app) => {
    const { directory, stacks } = app.synth()
    return read(
      directory,
      stacks.map(({ stackName, templateFile, dependencies }) => ({
        stackName,
        templateFile,
        dependencies: dependencies.map(({ id }) => id).filter((id) => !id.endsWith('.assets')),
      })),
    )
  })
  synthesized.set(key, bundle)
  return bundle
}

/** Passes the app of a configuration to `use`. The output folder exists only during the call. */
export function synthesizeApp<T>(change: Partial<ConfigurationInput>, use: (app: App) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'longshore-infra-'))
  try {
    // cfn-lint checks the templates, and test/tools/synth.test.ts synthesizes as users do.
    const app = new App({ outdir: folder, context: cdkContext, builtinCloudFormationValidation: false })
    createStacks(app, resolveConfig({ upstream: { baseUrl: 'https://shop.example.com' }, ...change }))
    return use(app)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

interface SynthesizedStack {
  readonly stackName: string
  readonly templateFile: string
  readonly dependencies: readonly string[]
}

function read(folder: string, stacks: readonly SynthesizedStack[]): Bundle {
  const templates = Object.fromEntries(
    stacks.map(({ stackName, templateFile }) => [
      stackName,
      readFileSync(join(folder, templateFile), 'utf8'),
    ]),
  )
  const resources: Resource[] = []
  const outputs: Record<string, unknown> = {}
  for (const [stack, text] of Object.entries(templates)) {
    const template = JSON.parse(text)
    for (const [id, { Value }] of Object.entries<{ Value: unknown }>(template.Outputs ?? {}))
      outputs[`${stack}.${id}`] = Value
    // biome-ignore lint/suspicious/noExplicitAny: a template has no types
    for (const [id, resource] of Object.entries<any>(template.Resources)) {
      resources.push({
        stack,
        id,
        type: resource.Type,
        properties: resource.Properties ?? {},
        deletionPolicy: resource.DeletionPolicy,
        updateReplacePolicy: resource.UpdateReplacePolicy,
        metadata: resource.Metadata ?? {},
      })
    }
  }
  const code = new Map(
    resources
      .filter(({ type }) => type === 'AWS::Lambda::Function')
      .map((lambda) => [lambda, readCode(folder, lambda)]),
  )
  const of = (type: string) => resources.filter((resource) => resource.type === type)
  return {
    resources,
    outputs,
    templates,
    dependencies: Object.fromEntries(stacks.map(({ stackName, dependencies }) => [stackName, dependencies])),
    of,
    only: (type) => {
      const [found, ...more] = of(type)
      if (!found || more.length > 0) throw new Error(`There is not exactly one ${type}.`)
      return found
    },
    codeOf: (lambda) => code.get(lambda) as ReturnType<typeof readCode>,
  }
}

function readCode(folder: string, lambda: Resource) {
  const asset = join(folder, `asset.${lambda.properties.Code.S3Key.replace('.zip', '')}`)
  const settings = join(asset, 'settings.json')
  return {
    files: readdirSync(asset, { recursive: true }) as string[],
    settings: existsSync(settings) ? JSON.parse(readFileSync(settings, 'utf8')) : undefined,
  }
}

/** A statement of a role's policy. */
export interface Statement {
  readonly policy: string
  /** The ids of the roles that have the policy. */
  readonly roles: readonly string[]
  readonly effect: 'Allow' | 'Deny'
  readonly actions: readonly string[]
  readonly resources: readonly unknown[]
  readonly condition: unknown
}

/** All statements of all roles. */
export function permissions(bundle: Pick<Bundle, 'of'>): Statement[] {
  return bundle.of('AWS::IAM::Policy').flatMap((policy) =>
    // biome-ignore lint/suspicious/noExplicitAny: a template has no types
    policy.properties.PolicyDocument.Statement.map((statement: any) => ({
      policy: policy.id,
      roles: policy.properties.Roles.map(({ Ref }: { Ref: string }) => Ref),
      effect: statement.Effect,
      actions: [statement.Action].flat(),
      resources: [statement.Resource].flat(),
      condition: statement.Condition,
    })),
  )
}
