import { beforeEach, describe, expect, it } from 'vitest'
import { releasedTemplates, stacksOf } from '../upgrades/templates.ts'
import { Account, type DeployedStack, type Template, type TemplateResource } from './account/account.ts'
import { configurations } from './configurations.ts'
import { synthesize } from './synthesize.ts'

const title = 'with AWS identities and entities'
const today = stacksOf(synthesize(configurations[title]))
const released = releasedTemplates()[0]?.[1][title]?.stacks ?? []

let account: Account
beforeEach(() => {
  account = new Account()
  account.deploy(today)
})

/** The stacks of today with a change in one of them. */
const changed = (stack: string, change: (template: Template) => Template): DeployedStack[] =>
  today.map(([name, template]) => [name, name === stack ? change(template) : template])

const withResource = (template: Template, id: string, resource: TemplateResource | undefined): Template => {
  const { [id]: _, ...others } = template.Resources
  return { ...template, Resources: resource ? { ...others, [id]: resource } : others }
}

const find = (stack: string, type: string) => {
  const { Resources } = new Map(today).get(stack) as Template
  const [id = '', resource] = Object.entries(Resources).find(([, { Type }]) => Type === type) ?? []
  return { id, resource: resource as TemplateResource }
}

const withProperties = (resource: TemplateResource, properties: object): TemplateResource => ({
  ...resource,
  Properties: { ...resource.Properties, ...properties },
})

describe('the account that plays deployments refuses what CloudFormation refuses', () => {
  it('nothing that changes nothing', () => expect(account.deploy(today)).toEqual([]))

  it('a strong reference that a version adds, on the way back', () => {
    const name = 'LongshoreSync:Planted'
    const { id } = find('LongshoreSync', 'AWS::Lambda::Function')
    const exporting = changed('LongshoreSync', (template) => ({
      ...template,
      Outputs: { ...template.Outputs, Planted: { Value: { Ref: id }, Export: { Name: name } } },
    }))
    const importing = exporting.map(([stack, template]): DeployedStack => {
      const { id: alarm, resource } = find('LongshoreMonitoring', 'AWS::CloudWatch::Alarm')
      const description = { AlarmDescription: { 'Fn::ImportValue': name } }
      return stack === 'LongshoreMonitoring'
        ? [stack, withResource(template, alarm, withProperties(resource, description))]
        : [stack, template]
    })
    expect(account.deploy(importing)).toEqual([])
    const inUse = `LongshoreSync: Export ${name} cannot be deleted as it is in use by LongshoreMonitoring`
    expect(account.deploy(today)).toEqual([inUse])
    expect(account.deploy(released)).toEqual([inUse])
  })

  it('an import that nothing exports', () => {
    const stacks = changed('LongshoreApi', (template) =>
      withResource(template, 'Planted', {
        Type: 'AWS::SNS::TopicPolicy',
        Properties: { Topics: [{ 'Fn::ImportValue': 'LongshoreSync:Nothing' }] },
      }),
    )
    expect(account.deploy(stacks)).toEqual(['LongshoreApi: No export named LongshoreSync:Nothing found'])
  })

  it('an alarm that moves to another stack, or to another logical id', () => {
    const { id, resource } = find('LongshoreMonitoring', 'AWS::CloudWatch::Alarm')
    const exists = expect.stringContaining(`already exists`)
    expect(
      account.deploy(changed('LongshoreSync', (template) => withResource(template, id, resource))),
    ).toEqual([exists])
    const renamed = (template: Template) =>
      withResource(withResource(template, id, undefined), 'Renamed', resource)
    expect(account.deploy(changed('LongshoreMonitoring', renamed))).toEqual([exists])
  })

  it('a retained resource with a name of its own, when it is created again', () => {
    const { id } = find('LongshoreStorage', 'AWS::SecretsManager::Secret')
    const without = changed('LongshoreStorage', (template) => withResource(template, id, undefined))
    expect(account.deploy(without)).toEqual([])
    expect(account.deploy(today)).toEqual([expect.stringContaining('/credentials already exists')])
    account.delete('AWS::SecretsManager::Secret')
    expect(account.deploy(today)).toEqual([])
  })

  it.each([
    ['LongshoreStorage', 'AWS::DynamoDB::Table', { KeySchema: [] }],
    ['LongshoreMonitoring', 'AWS::SNS::Topic', { TopicName: 'alarms' }],
    ['LongshoreMonitoring', 'AWS::SNS::Subscription', { Endpoint: 'other@example.com' }],
  ])('of %s: a replacement of the %s, whose state would be lost', (stack, type, properties) => {
    const { id, resource } = find(stack, type)
    const replacing = changed(stack, (template) =>
      withResource(template, id, withProperties(resource, properties)),
    )
    expect(account.deploy(replacing)).toContain(
      `${stack}: ${id} (${type}) would be replaced, and its state lost`,
    )
  })

  it('a replacement of a function that another stack refers to, and of one that has a name', () => {
    const replacedIn = (id: string) =>
      changed('LongshoreSync', (template) =>
        withResource(
          template,
          id,
          withProperties(template.Resources[id] as TemplateResource, { PackageType: 'Image' }),
        ),
      )
    const { Resources } = new Map(today).get('LongshoreSync') as Template
    const functions = Object.entries(Resources).filter(([, { Type }]) => Type === 'AWS::Lambda::Function')
    const ids = (isNamed: boolean) =>
      functions.flatMap(([id, { Properties }]) =>
        'FunctionName' in (Properties ?? {}) === isNamed ? [id] : [],
      )
    const [unnamed = ''] = ids(false)
    const [named = ''] = ids(true)
    expect(account.deploy(replacedIn(unnamed))).toContainEqual(
      expect.stringContaining('cannot be updated as it is in use'),
    )
    expect(account.deploy(replacedIn(named))).toContainEqual(expect.stringContaining('already exists'))
  })
})
