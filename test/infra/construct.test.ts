import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { App, Fn, Stack, Stage, Token } from 'aws-cdk-lib'
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager'
import { type IVpc, SecurityGroup, SubnetType, Vpc } from 'aws-cdk-lib/aws-ec2'
import { AccountRootPrincipal, ManagedPolicy, PolicyStatement, Role } from 'aws-cdk-lib/aws-iam'
import { Key } from 'aws-cdk-lib/aws-kms'
import { describe, expect, it } from 'vitest'
import { featureFlags } from '../../lib/feature-flags.ts'
import { ConfigurationError, type ConfigurationInput, Longshore } from '../../lib/index.ts'
import { cdkContext, synthesize } from './synthesize.ts'

const env = { account: '222222222222', region: 'eu-west-1' }
const configuration = {
  upstream: { baseUrl: 'https://shop.example.com' },
  entities: [{ name: 'CL', schedule: 'rate(1 day)' }],
}

describe('Longshore as a construct of another app', () => {
  it('creates the same stacks as Longshore’s own app, with the same names and resources', () => {
    const stage = new Stage(new App(), 'Production', { env })
    new Longshore(stage, 'Longshore', configuration)
    const own = synthesize({ entities: configuration.entities })
    const { stacks } = stage.synth()
    expect(stacks.map(({ stackName }) => stackName).toSorted()).toEqual(Object.keys(own.templates).toSorted())
    const types = stacks.flatMap(({ stackName, template }) =>
      Object.values<{ Type: string }>(template.Resources).map(({ Type }) => `${stackName} ${Type}`),
    )
    const ownTypes = own.resources.map(({ stack, type }) => `${stack} ${type}`)
    expect(types.toSorted()).toEqual(ownTypes.toSorted())
  })

  it('takes values that are known only at deployment', () => {
    const [one, list] = [
      (name: string) => Fn.importValue(name),
      (name: string) => Fn.split(',', Fn.importValue(name)),
    ]
    const known: Partial<ConfigurationInput> = {
      encryptionKeyArn: one('key'),
      previousEncryptionKeyArns: [one('previous-key')],
      permissionsBoundary: one('boundary'),
      alarmEmail: one('email'),
      auth: { type: 'jwt', issuer: one('issuer'), audience: ['a', one('audience')] },
      tags: { team: one('team') },
      cors: [`https://${one('site')}`],
      network: { vpcId: one('vpc'), subnetIds: list('subnets'), securityGroupIds: [one('group')] },
      domain: { name: `api.${one('zone')}`, certificateArn: one('certificate') },
      readers: [{ role: one('role') }],
    }
    const stage = new Stage(new App(), 'Production', { env })
    new Longshore(stage, 'Longshore', { ...configuration, ...known })
    const { directory, stacks } = stage.synth()
    const settings = globSync('../asset.*/settings.json', { cwd: directory })
    const read = settings.map((file) => readFileSync(join(directory, file), 'utf8')).join('')
    expect(read).toContain('"audience":["a","(set at deployment)"]')
    const text = JSON.stringify(stacks.map(({ template }) => template as object))
    expect(Token.isUnresolved(text + read)).toBe(false)
    const values = [...text.matchAll(/"Fn::ImportValue":"([a-z-]+)"/g)].map(([, name]) => name)
    const names =
      'audience boundary certificate email group issuer key previous-key role site subnets team zone'
    expect(new Set(values)).toEqual(new Set(names.split(' ')))
    expect(text).toContain('"PermissionsBoundary":{"Fn::ImportValue":"boundary"}')
  })

  it('takes constructs of the app, and lets the services use its key', () => {
    const stage = new Stage(new App(), 'Production', { env })
    const own = new Stack(stage, 'Own', { env, stackName: 'Own' })
    const vpc = new Vpc(own, 'Vpc') as IVpc
    new Longshore(stage, 'Longshore', {
      ...configuration,
      encryptionKey: new Key(own, 'Key'),
      permissionsBoundary: new ManagedPolicy(own, 'Boundary', {
        statements: [new PolicyStatement({ actions: ['s3:*'], resources: ['*'] })],
      }),
      network: { vpc, securityGroups: [new SecurityGroup(own, 'Group', { vpc })], functions: 'all' },
      domain: {
        name: 'api.example.com',
        certificate: new Certificate(own, 'Certificate', { domainName: 'x.example.com' }),
      },
      readers: [
        { role: new Role(own, 'Reader', { assumedBy: new AccountRootPrincipal() }), data: ['changes'] },
      ],
    })
    const templates = stage
      .synth()
      .stacks.map(({ stackName, template }) => [stackName, JSON.stringify(template)])
    const { Own: text = '', ...longshore } = Object.fromEntries(templates)
    const imported = Object.values(longshore)
      .join('')
      .matchAll(/"Fn::ImportValue":"Own:ExportsOutput\w+?(Key|Boundary|Subnet|Group|Certificate|Reader)/g)
    expect(new Set([...imported].map(([, name]) => name)).size).toBe(6)
    expect(text).toContain('logs.eu-west-1.amazonaws.com')
    expect(text).toContain('cloudwatch.amazonaws.com')
  })

  it('takes a VPC that is not looked up yet', () => {
    const stage = new Stage(new App(), 'Production', { env })
    const vpc = Vpc.fromLookup(new Stack(stage, 'Own', { env }), 'Vpc', { isDefault: true })
    new Longshore(stage, 'Longshore', { ...configuration, network: { vpc } })
    expect(() => stage.synth()).not.toThrow()
  })

  it('refuses a VPC with public subnets only', () => {
    const app = new App()
    const vpc = new Vpc(new Stack(app, 'Own', { env }), 'Vpc', {
      subnetConfiguration: [{ name: 'Public', subnetType: SubnetType.PUBLIC }],
    })
    expect(() => new Longshore(app, 'Longshore', { ...configuration, network: { vpc } })).toThrow(
      'network.vpcSubnets: functions in public subnets cannot reach the platform.',
    )
  })

  it('gives its resources to the rest of the app', () => {
    const longshore = new Longshore(new Stage(new App(), 'Test', { env }), 'Longshore', configuration)
    const { bucket, table, api, stateMachine, alarmsTopic } = longshore
    const stacks = [bucket, table, api, stateMachine, alarmsTopic].map(({ stack }) => stack.stackName)
    const [storage, sync] = ['LongshoreStorage', 'LongshoreSync']
    expect(stacks).toEqual([storage, storage, 'LongshoreApi', sync, 'LongshoreMonitoring'])
  })

  it('reports every error of its configuration', () => {
    const invalid = { upstream: { baseUrl: 'shop' }, entities: [{ name: 'CL', schedule: 'daily' }] }
    expect(() => new Longshore(new App(), 'Longshore', invalid)).toThrow(ConfigurationError)
    expect(() => new Longshore(new App(), 'Longshore', invalid)).toThrow(
      /upstream\.baseUrl[\s\S]*entities\[0\]\.schedule/,
    )
  })

  it('sets the feature flags that cdk.json has', () => expect(cdkContext).toEqual(featureFlags))
})

describe('the example of a pipeline', () => {
  it('tests the app and deploys it to a second account after an approval', async () => {
    // The CDK's own types of pipelines do not pass this project's stricter compiler options.
    const example = new URL('../../examples/pipeline/pipeline.ts', import.meta.url).href
    const { createPipeline } = (await import(example)) as { createPipeline: (app: App) => unknown }
    const app = new App({ builtinCloudFormationValidation: false })
    createPipeline(app)
    const assembly = app.synth()
    const template: unknown = assembly.getStackByName('LongshorePipeline').template
    const text = JSON.stringify(template)
    for (const account of ['222222222222', '333333333333']) expect(text).toContain(`::${account}:role/`)
    expect(text).toMatch(/"Category":"Approval"[\s\S]*LongshoreStorage\.Deploy/)
    const stacks = assembly.nestedAssemblies.flatMap(({ nestedAssembly }) => nestedAssembly.stacks)
    const deployedTo = (name: string) =>
      stacks.filter(({ stackName }) => stackName === name).map(({ environment }) => environment.account)
    expect(new Set(deployedTo('LongshoreStorage'))).toEqual(new Set(['222222222222', '333333333333']))
  })

  it('installs the package by its name', () => {
    const read = (path: string): { name: string; dependencies: object } =>
      JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'))
    const { name } = read('../../package.json')
    expect(Object.keys(read('../../examples/pipeline/package.json').dependencies)).toEqual([name])
  })
})
