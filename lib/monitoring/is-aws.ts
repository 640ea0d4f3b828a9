import { Aws, CfnCondition, Fn } from 'aws-cdk-lib'
import type { Construct } from 'constructs'

/**
 * False on an emulator. Emulators refuse a stack with a resource type that they do not know; they use the account
 * 000000000000, or do not evaluate conditions.
 */
export const isAws = (scope: Construct, id: string): CfnCondition =>
  new CfnCondition(scope, id, {
    expression: Fn.conditionAnd(
      Fn.conditionNot(Fn.conditionEquals(Aws.ACCOUNT_ID, '000000000000')),
      Fn.conditionOr(
        ...['aws', 'aws-cn', 'aws-us-gov', 'aws-eusc'].map((partition) =>
          Fn.conditionEquals(Aws.PARTITION, partition),
        ),
      ),
    ),
  })
