import { beforeAll, describe, expect, it } from 'vitest'
import { type Bundle, type Resource, synthesize, synthesizeApp } from './synthesize.ts'

const tags = { team: 'shop', 'cost-center': '1234 / EU' }
const entities = [{ name: 'CL', schedule: 'rate(6 hours)' }]

let bundle: Bundle
beforeAll(() => {
  bundle = synthesize({ tags, entities, alarmEmail: 'shop-operations@example.com' })
})

/** CloudFormation knows no tags of these. */
const withoutTags = [
  ...'AWS::ApiGatewayV2::Authorizer AWS::ApiGatewayV2::Integration AWS::ApiGatewayV2::Route'.split(' '),
  ...'AWS::CDK::Metadata AWS::Glue::Database AWS::Glue::Table AWS::IAM::Policy'.split(' '),
  ...'AWS::Lambda::EventInvokeConfig AWS::Lambda::Permission AWS::Logs::MetricFilter'.split(' '),
  ...'AWS::Logs::QueryDefinition AWS::S3::BucketPolicy AWS::SNS::Subscription'.split(' '),
  ...'AWS::SNS::TopicPolicy AWS::SQS::QueuePolicy AWS::Scheduler::Schedule'.split(' '),
]

/** A list of pairs, or an object for the types of API Gateway. */
function tagsOf({ properties: { Tags = [] } }: Resource): Record<string, string> {
  if (!Array.isArray(Tags)) return Tags
  return Object.fromEntries(Tags.map(({ Key, Value }: { Key: string; Value: string }) => [Key, Value]))
}

describe('tags', () => {
  it('are on every resource that can have them', () => {
    const untagged = bundle.resources.filter((resource) => !('team' in tagsOf(resource)))
    expect([...new Set(untagged.map(({ type }) => type))].toSorted()).toEqual(
      withoutTags.filter((type) => bundle.of(type).length > 0),
    )
    const tagged = bundle.resources.filter(({ type }) => !withoutTags.includes(type))
    expect(tagged.length).toBeGreaterThan(40)
    for (const resource of tagged) expect(tagsOf(resource)).toMatchObject(tags)
  })

  it('are on every stack, which passes them on', () => {
    const stacks = synthesizeApp({ tags }, (app) => app.synth().stacks)
    expect(stacks).toHaveLength(5)
    for (const stack of stacks) expect(stack.tags).toEqual(tags)
  })

  it('are on nothing by default', () => {
    for (const { properties } of synthesize({ entities }).resources) expect(properties.Tags).toBeUndefined()
  })
})
