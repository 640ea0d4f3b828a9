import { type IKey, Key } from 'aws-cdk-lib/aws-kms'
import type { Construct } from 'constructs'
import type { Configuration } from '../config.ts'

/** The configured customer managed key. Without one, each service encrypts with an AWS key. */
export function customerKey(
  scope: Construct,
  { encryptionKeyArn }: Pick<Configuration, 'encryptionKeyArn'>,
): IKey | undefined {
  return encryptionKeyArn === undefined ? undefined : Key.fromKeyArn(scope, 'CustomerKey', encryptionKeyArn)
}
