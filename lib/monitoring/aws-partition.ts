import { Aws, CfnCondition, Fn, Token } from 'aws-cdk-lib'
import { Construct } from 'constructs'

/** Domain of the console in each partition of AWS. */
const consoleDomains = {
  aws: 'console.aws.amazon.com',
  'aws-cn': 'console.amazonaws.cn',
  'aws-us-gov': 'console.amazonaws-us-gov.com',
  'aws-eusc': 'console.amazonaws-eusc.eu',
} as const

/** What depends on the partition that the stack is deployed to. */
export class AwsPartition extends Construct {
  /**
   * False on an emulator. Emulators refuse a stack with a resource type that they do not know; they use the account
   * 000000000000, or do not evaluate conditions.
   */
  readonly isAws: CfnCondition
  /** Domain of the console, to be prefixed with the region. */
  readonly consoleDomain: string

  constructor(scope: Construct, id: string) {
    super(scope, id)
    const isPartition = (partition: string) => Fn.conditionEquals(Aws.PARTITION, partition)
    this.isAws = new CfnCondition(this, 'IsAws', {
      expression: Fn.conditionAnd(
        Fn.conditionNot(Fn.conditionEquals(Aws.ACCOUNT_ID, '000000000000')),
        Fn.conditionOr(...Object.keys(consoleDomains).map(isPartition)),
      ),
    })
    const { aws, ...others } = consoleDomains
    this.consoleDomain = Object.entries(others).reduce((otherwise, [partition, domain]) => {
      const condition = new CfnCondition(this, `Is-${partition}`, { expression: isPartition(partition) })
      return Token.asString(Fn.conditionIf(condition.logicalId, domain, otherwise))
    }, aws as string)
  }
}
