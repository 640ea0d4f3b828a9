import { Longshore } from '@longshore/longshore'
import { type App, Stack, Stage } from 'aws-cdk-lib'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import { CodePipeline, CodePipelineSource, ManualApprovalStep, ShellStep } from 'aws-cdk-lib/pipelines'

const region = 'eu-west-1'
const accounts = { pipeline: '111111111111', staging: '222222222222', production: '333333333333' }

/** Deploys Longshore to an account for tests and, once somebody approves, to the account that the shop uses. */
export function createPipeline(app: App): CodePipeline {
  const stack = new Stack(app, 'LongshorePipeline', { env: { account: accounts.pipeline, region } })
  const source = CodePipelineSource.connection('shop/longshore', 'main', {
    connectionArn: `arn:aws:codeconnections:${region}:${accounts.pipeline}:connection/00000000-0000-0000-0000-000000000000`,
  })
  const pipeline = new CodePipeline(stack, 'Pipeline', {
    // The pipeline may use the keys and roles of the other accounts.
    crossAccountKeys: true,
    synth: new ShellStep('Test', { input: source, commands: ['npm ci', 'npm test', 'npx cdk synth'] }),
  })
  const staging = new Stage(app, 'Staging', { env: { account: accounts.staging, region } })
  new Longshore(staging, 'Longshore', {
    upstream: { baseUrl: 'https://staging.shop.example.com' },
    entities: [{ name: 'CL', schedule: 'rate(1 day)' }],
  })
  const production = new Stage(app, 'Production', { env: { account: accounts.production, region } })
  const { alarmsTopic } = new Longshore(production, 'Longshore', {
    upstream: { baseUrl: 'https://shop.example.com' },
    entities: [{ name: 'CL', schedule: 'rate(6 hours)' }],
  })
  alarmsTopic.addSubscription(new EmailSubscription('shop-operations@example.com'))
  pipeline.addStage(staging)
  pipeline.addStage(production, { pre: [new ManualApprovalStep('Approve')] })
  return pipeline
}
