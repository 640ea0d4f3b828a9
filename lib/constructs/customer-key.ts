import { type IKey, Key } from 'aws-cdk-lib/aws-kms'
import type { Construct } from 'constructs'
import type { Configuration } from '../config.ts'

/** The owner's key, if the configuration names one. Without it each service encrypts with a key of AWS's. */
export function customerKey(
  scope: Construct,
  { encryptionKeyArn }: Pick<Configuration, 'encryptionKeyArn'>,
): IKey | undefined {
  return encryptionKeyArn === undefined ? undefined : Key.fromKeyArn(scope, 'CustomerKey', encryptionKeyArn)
}
