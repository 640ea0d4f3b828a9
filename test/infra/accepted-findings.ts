/** What a rule pack says of one resource: by its construct's path (cdk-nag) or by its type and logical id (checkov). */
export interface Finding {
  readonly rule: string
  readonly resource: string
}

interface AcceptedFinding {
  readonly rule: string | RegExp
  readonly resource: RegExp
  /** Why what the rule asks for is not right here. */
  readonly reason: string
}

const ownKeyOnRequest =
  'AWS encrypts it with a key of its own; with encryptionKeyArn it is the owner’s, and this finding goes.'

/** Every finding that stands, each for the resources that it is right for. There are no others. */
export const acceptedFindings: Readonly<Record<'cdk-nag' | 'checkov', readonly AcceptedFinding[]>> = {
  'cdk-nag': [
    {
      rule: 'AwsSolutions-SMG4',
      resource: /Storage\/Credentials\/Resource$/,
      reason: 'The platform gives out its keys; only its owner can rotate them, by putting a new pair.',
    },
    {
      rule: 'AwsSolutions-SQS3',
      resource: /Sync\/MissedStarts\/Resource$/,
      reason: 'It is a dead-letter queue itself.',
    },
    {
      rule: 'AwsSolutions-SF2',
      resource: /Sync\/Machine\/Resource$/,
      reason:
        'A run’s item, its log lines and the execution’s history tell more than segments of nothing but one function.',
    },
    {
      rule: /^AwsSolutions-IAM5\[Resource::[^*]*\/(snapshots|tables)\/\*\]$/,
      resource: /\/(Worker|SyncApi)\/Role\/DefaultPolicy\/Resource$/,
      reason: 'Objects have names that nobody knows beforehand; the prefix is ours.',
    },
    {
      rule: /^AwsSolutions-IAM5\[Resource::arn:[^*]*:states:[^*]*:execution:[^*]*:\*\]$/,
      resource: /\/SyncApi\/Role\/DefaultPolicy\/Resource$/,
      reason: 'An execution has no name before it is started; the state machine’s is named.',
    },
    {
      rule: 'AwsSolutions-IAM5[Resource::*]',
      resource: /Sync\/MachineRole\/DefaultPolicy\/Resource$/,
      reason:
        'The delivery of logs to CloudWatch knows no resources (Step Functions, «Logging using CloudWatch Logs»).',
    },
  ],
  checkov: [
    { rule: 'CKV_AWS_119', resource: /^AWS::DynamoDB::Table\.State/, reason: ownKeyOnRequest },
    { rule: 'CKV_AWS_149', resource: /^AWS::SecretsManager::Secret\.Credentials/, reason: ownKeyOnRequest },
    { rule: 'CKV_AWS_158', resource: /^AWS::Logs::LogGroup\./, reason: ownKeyOnRequest },
    {
      rule: 'CKV_AWS_27',
      resource: /^AWS::SQS::Queue\.MissedStarts/,
      reason: `The rule knows no SqsManagedSseEnabled, which is set. ${ownKeyOnRequest}`,
    },
    {
      rule: 'CKV_AWS_26',
      resource: /^AWS::SNS::Topic\.Alarms/,
      reason:
        'CloudWatch cannot publish to a topic under AWS’s key for SNS, and an alarm holds no data. With encryptionKeyArn it is encrypted.',
    },
    {
      rule: 'CKV_AWS_173',
      resource: /^AWS::Lambda::Function\./,
      reason: 'Its variables are names of resources; Lambda encrypts them with a key of its own.',
    },
    {
      rule: 'CKV_AWS_116',
      resource: /^AWS::Lambda::Function\.(Proxy|SyncApi|Description|Worker)Function/,
      reason: 'Nobody calls it asynchronously: API Gateway and Step Functions wait for its answer.',
    },
    {
      rule: 'CKV_AWS_116',
      resource: /^AWS::Lambda::Function\.FreshnessFunction/,
      reason: 'The next measurement comes within 15 minutes, and an alarm tells if none comes.',
    },
    {
      rule: 'CKV_AWS_117',
      resource: /^AWS::Lambda::Function\./,
      reason:
        'It speaks to the platform on the internet and to AWS; a network of its own would add a gateway and protect nothing.',
    },
    {
      rule: 'CKV_AWS_115',
      resource: /^AWS::Lambda::Function\./,
      reason:
        'API Gateway throttles the callers, and slots count the syncs. Reserved concurrency would be taken from the account’s other functions.',
    },
    {
      rule: 'CKV_AWS_18',
      resource: /^AWS::S3::Bucket\.AccessLog/,
      reason: 'It is where the accesses are logged.',
    },
    {
      rule: 'CKV_AWS_21',
      resource: /^AWS::S3::Bucket\.AccessLog/,
      reason: 'S3 writes each object of a log once, and no role of ours may write or delete any.',
    },
  ],
}

const fits = ({ rule, resource }: AcceptedFinding, finding: Finding) =>
  (typeof rule === 'string' ? rule === finding.rule : rule.test(finding.rule)) &&
  resource.test(finding.resource)

/** The findings that nobody has accepted, and the acceptances that nothing needs any more. */
export function decideProof(tool: keyof typeof acceptedFindings, findings: readonly Finding[]) {
  const accepted = acceptedFindings[tool]
  return {
    open: findings.filter((finding) => !accepted.some((each) => fits(each, finding))),
    needless: accepted.filter((each) => !findings.some((finding) => fits(each, finding))),
  }
}
