import { Stack } from 'aws-cdk-lib'
import { type IKey, Key } from 'aws-cdk-lib/aws-kms'
import type { Construct } from 'constructs'
import type { Configuration } from '../config.ts'

/** The configured customer managed key, as one construct of the stack. Without one, each service encrypts with an AWS key. */
export function customerKey(
  scope: Construct,
  { encryptionKeyArn }: Pick<Configuration, 'encryptionKeyArn'>,
): IKey | undefined {
  if (encryptionKeyArn === undefined) return undefined
  const stack = Stack.of(scope)
  const known = stack.node.tryFindChild('CustomerKey') as IKey | undefined
  return known ?? Key.fromKeyArn(stack, 'CustomerKey', encryptionKeyArn)
}
