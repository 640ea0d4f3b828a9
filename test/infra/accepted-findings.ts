/** A finding of a rule pack about one resource: its construct path (cdk-nag) or its type and logical id (checkov). */
export interface Finding {
  readonly rule: string
  readonly resource: string
}

interface AcceptedFinding {
  readonly rule: string | RegExp
  readonly resource: RegExp
  /** Why the rule does not apply here. */
  readonly reason: string
}

const interfacesHaveNoIdYet =
  'Lambda creates and deletes interfaces whose ids are not known in advance, and deletes them after a network was removed. The function’s code is denied these actions.'
const customerKeyIsOptional =
  'An AWS key encrypts it. With encryptionKeyArn a customer managed key does, and this finding disappears.'

/** Every accepted finding, limited to the resources that it applies to. */
export const acceptedFindings: Readonly<Record<'cdk-nag' | 'checkov', readonly AcceptedFinding[]>> = {
  'cdk-nag': [
    {
      rule: 'AwsSolutions-SMG4',
      resource: /Storage\/Credentials\/Resource$/,
      reason: 'The platform issues the credentials. Only an operator can rotate them.',
    },
    {
      rule: 'AwsSolutions-SQS3',
      resource: /Sync\/StartDeadLetters\/Resource$/,
      reason: 'It is a dead-letter queue.',
    },
    {
      rule: 'AwsSolutions-SF2',
      resource: /Sync\/Machine\/Resource$/,
      reason:
        'The run’s item, its log lines and the execution history contain more than traces of one function would.',
    },
    {
      rule: /^AwsSolutions-IAM5\[Resource::[^*]*\/(snapshots|tables|changes|iceberg)\/\*(?:\/schema\*|\/check-\*|\/proposal-\*\.json|\/[\w-]+\.json\*?|\.metadata\.json\*|\.ndjson\.gz)?\]$/,
      resource: /\/(Publisher|Worker|Compare|Tables|SyncApi|Freshness)\/Role\/DefaultPolicy\/Resource$/,
      reason: 'The names of objects are not known in advance. Only Longshore writes under this prefix.',
    },
    {
      rule: /^AwsSolutions-IAM5\[Resource::arn:[^*]*:table\/[^*]*_tables\/\*\]$/,
      resource: /\/Tables\/Role\/DefaultPolicy\/Resource$/,
      reason: 'The function creates the tables of entities in a database that is its own.',
    },
    {
      rule: /^AwsSolutions-IAM5\[Resource::arn:[^*]*:states:[^*]*:execution:[^*]*:\*\]$/,
      resource: /\/SyncApi\/Role\/DefaultPolicy\/Resource$/,
      reason: 'The names of executions are not known in advance. The ARN names the state machine.',
    },
    {
      rule: 'AwsSolutions-IAM5[Resource::*]',
      resource: /Sync\/MachineRole\/DefaultPolicy\/Resource$/,
      reason:
        'Actions for log delivery have no resource level (Step Functions, "Logging using CloudWatch Logs").',
    },
    {
      rule: 'AwsSolutions-IAM5[Resource::*]',
      resource: /\/Role\/DefaultPolicy\/Resource$/,
      reason: `${interfacesHaveNoIdYet} With tracing: X-Ray has no resource level.`,
    },
  ],
  checkov: [
    {
      rule: 'CKV_AWS_111',
      resource: /^AWS::IAM::Policy\.\w+RoleDefaultPolicy/,
      reason: interfacesHaveNoIdYet,
    },
    { rule: 'CKV_AWS_119', resource: /^AWS::DynamoDB::Table\.State/, reason: customerKeyIsOptional },
    {
      rule: 'CKV_AWS_149',
      resource: /^AWS::SecretsManager::Secret\.Credentials/,
      reason: customerKeyIsOptional,
    },
    { rule: 'CKV_AWS_158', resource: /^AWS::Logs::LogGroup\./, reason: customerKeyIsOptional },
    {
      rule: 'CKV_AWS_27',
      resource: /^AWS::SQS::Queue\.StartDeadLetters/,
      reason: `The rule does not recognize SqsManagedSseEnabled, which is set. ${customerKeyIsOptional}`,
    },
    {
      rule: 'CKV_AWS_26',
      resource: /^AWS::SNS::Topic\.Alarms/,
      reason:
        'CloudWatch cannot publish to a topic that is encrypted with the AWS managed key for SNS, and alarms contain no data. With encryptionKeyArn it is encrypted.',
    },
    {
      rule: 'CKV_AWS_173',
      resource: /^AWS::Lambda::Function\./,
      reason: 'Its variables are names of resources, and Lambda encrypts them with an AWS key.',
    },
    {
      rule: 'CKV_AWS_116',
      resource: /^AWS::Lambda::Function\.(Proxy|SyncApi|OpenApi|Publisher|Worker|Compare|Tables)Function/,
      reason:
        'API Gateway, Step Functions or the worker wait for its response. The next scheduled increment or erasure covers what a lost one would have done.',
    },
    {
      rule: 'CKV_AWS_116',
      resource: /^AWS::Lambda::Function\.FreshnessFunction/,
      reason: 'The next check runs within 15 minutes, and an alarm reports missing checks.',
    },
    {
      rule: 'CKV_AWS_117',
      resource: /^AWS::Lambda::Function\./,
      reason:
        'It calls the platform over the internet and AWS services. A VPC would need a NAT gateway and protect nothing.',
    },
    {
      rule: 'CKV_AWS_115',
      resource: /^AWS::Lambda::Function\./,
      reason:
        'Reserved concurrency takes concurrency from the account’s other functions, and small accounts cannot reserve any. maxConcurrentCalls reserves it for the proxy, whose callers can use up the account’s concurrency; slots limit the worker to one invocation per running sync.',
    },
    {
      rule: 'CKV_AWS_18',
      resource: /^AWS::S3::Bucket\.AccessLog/,
      reason: 'It is the bucket that receives the access logs.',
    },
    {
      rule: 'CKV_AWS_21',
      resource: /^AWS::S3::Bucket\.AccessLog/,
      reason: 'S3 writes each log object once, and no role of the deployment may write or delete any.',
    },
  ],
}

const covers = ({ rule, resource }: AcceptedFinding, finding: Finding) =>
  (typeof rule === 'string' ? rule === finding.rule : rule.test(finding.rule)) &&
  resource.test(finding.resource)

/** The findings that are not accepted, and the acceptances that no finding needs. */
export function checkFindings(tool: keyof typeof acceptedFindings, findings: readonly Finding[]) {
  const accepted = acceptedFindings[tool]
  return {
    open: findings.filter((finding) => !accepted.some((each) => covers(each, finding))),
    unused: accepted.filter((each) => !findings.some((finding) => covers(each, finding))),
  }
}
