interface ResourceType {
  /** Properties that can only be set at creation: CloudFormation replaces the resource if one changes. */
  readonly createOnly: readonly string[]
  /** Properties that together name the resource. The account has at most one with the same values. */
  readonly names?: readonly string[]
  /** Something is lost, or has another address, if it is replaced or removed. */
  readonly isStateful?: true
}

const ofApi = (...names: string[]) => ({ createOnly: ['ApiId'], ...(names.length > 0 && { names }) })

/**
 * What CloudFormation does with the types of resources that the stacks have (the properties that its schemas call
 * `createOnlyProperties`).
 */
const resourceTypes: Readonly<Record<string, ResourceType>> = {
  'AWS::ApiGatewayV2::Api': { createOnly: ['ProtocolType'], isStateful: true },
  'AWS::ApiGatewayV2::ApiMapping': { createOnly: ['DomainName'], names: ['ApiMappingKey', 'DomainName'] },
  'AWS::ApiGatewayV2::Authorizer': ofApi('ApiId', 'Name'),
  'AWS::ApiGatewayV2::DomainName': { createOnly: ['DomainName'], names: ['DomainName'] },
  'AWS::ApiGatewayV2::Integration': ofApi(),
  'AWS::ApiGatewayV2::Route': ofApi('ApiId', 'RouteKey'),
  'AWS::ApiGatewayV2::Stage': { createOnly: ['ApiId', 'StageName'], names: ['ApiId', 'StageName'] },
  'AWS::CloudWatch::Alarm': { createOnly: ['AlarmName'], names: ['AlarmName'] },
  'AWS::CloudWatch::Dashboard': { createOnly: ['DashboardName'], names: ['DashboardName'] },
  'AWS::DynamoDB::Table': { createOnly: ['TableName', 'KeySchema'], names: ['TableName'], isStateful: true },
  'AWS::EC2::SecurityGroup': { createOnly: ['GroupDescription', 'GroupName', 'VpcId'], names: ['GroupName'] },
  'AWS::Events::Rule': { createOnly: ['EventBusName', 'Name'], names: ['Name'] },
  'AWS::Glue::Database': {
    createOnly: ['CatalogId', 'DatabaseInput.Name'],
    names: ['DatabaseInput.Name'],
    isStateful: true,
  },
  'AWS::Glue::Table': {
    createOnly: ['CatalogId', 'DatabaseName', 'TableInput.Name'],
    names: ['DatabaseName', 'TableInput.Name'],
    isStateful: true,
  },
  'AWS::IAM::Policy': { createOnly: [], names: ['Roles', 'PolicyName'] },
  'AWS::IAM::Role': { createOnly: ['Path', 'RoleName'], names: ['RoleName'] },
  'AWS::Lambda::EventInvokeConfig': {
    createOnly: ['FunctionName', 'Qualifier'],
    names: ['FunctionName', 'Qualifier'],
  },
  'AWS::Lambda::Function': { createOnly: ['FunctionName', 'PackageType'], names: ['FunctionName'] },
  'AWS::Lambda::Permission': {
    createOnly: ['Action', 'FunctionName', 'Principal', 'SourceAccount', 'SourceArn'],
  },
  'AWS::Logs::MetricFilter': { createOnly: ['FilterName', 'LogGroupName'] },
  'AWS::Logs::LogGroup': { createOnly: ['LogGroupName'], names: ['LogGroupName'], isStateful: true },
  'AWS::Logs::QueryDefinition': { createOnly: [], names: ['Name'] },
  'AWS::S3::Bucket': {
    createOnly: ['BucketName', 'ObjectLockEnabled'],
    names: ['BucketName'],
    isStateful: true,
  },
  'AWS::S3::BucketPolicy': { createOnly: ['Bucket'], names: ['Bucket'], isStateful: true },
  'AWS::SNS::Subscription': { createOnly: ['Endpoint', 'Protocol', 'TopicArn'], isStateful: true },
  'AWS::SNS::Topic': { createOnly: ['FifoTopic', 'TopicName'], names: ['TopicName'], isStateful: true },
  'AWS::SNS::TopicPolicy': { createOnly: [] },
  'AWS::SQS::Queue': { createOnly: ['FifoQueue', 'QueueName'], names: ['QueueName'], isStateful: true },
  'AWS::SQS::QueuePolicy': { createOnly: [] },
  'AWS::Scheduler::Schedule': { createOnly: ['Name'], names: ['Name'], isStateful: true },
  'AWS::SecretsManager::Secret': { createOnly: ['Name'], names: ['Name'], isStateful: true },
  'AWS::StepFunctions::StateMachine': {
    createOnly: ['StateMachineName', 'StateMachineType'],
    names: ['StateMachineName'],
    isStateful: true,
  },
}

/** A type that the table does not have cannot be played. */
export function resourceType(type: string): ResourceType {
  const found = resourceTypes[type]
  if (!found) throw new Error(`test/infra/account/resource-types.ts has no row for ${type}.`)
  return found
}
