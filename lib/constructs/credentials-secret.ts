import { ArnFormat, Stack } from 'aws-cdk-lib'
import type { CfnSecret } from 'aws-cdk-lib/aws-secretsmanager'
import type { Construct } from 'constructs'

/** A secret with the platform's keys: how a function names it, and the ARNs that it may have. */
export interface CredentialsSecret {
  readonly id: string
  readonly arns: readonly string[]
}

/** The secret that the Storage stack creates. */
export function ownSecret(secret: CfnSecret): CredentialsSecret {
  // The same as Ref where CloudFormation is right; some emulators give the name for Ref.
  return { id: secret.attrId, arns: [secret.attrId] }
}

/** A secret that the owner has already, by its name or ARN. */
export function existingSecret(scope: Construct, nameOrArn: string): CredentialsSecret {
  const isArn = nameOrArn.startsWith('arn:')
  const arn = isArn
    ? nameOrArn
    : Stack.of(scope).formatArn({
        service: 'secretsmanager',
        resource: 'secret',
        resourceName: nameOrArn,
        arnFormat: ArnFormat.COLON_RESOURCE_NAME,
      })
  // Secrets Manager ends each ARN in six characters of its own. An ARN without them looks like one with them
  // when the secret's name ends in such a word (`my-secret`), so both forms are allowed.
  return { id: nameOrArn, arns: isArn ? [arn, `${arn}-??????`] : [`${arn}-??????`] }
}
