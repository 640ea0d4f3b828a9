import { ArnFormat, Stack } from 'aws-cdk-lib'
import type { Construct } from 'constructs'

/** A secret of the account: its name or ARN, and the ARN patterns to grant. */
export interface SecretReference {
  readonly id: string
  readonly arns: readonly string[]
}

export function secretReference(scope: Construct, nameOrArn: string): SecretReference {
  // Secrets Manager appends six characters to a secret's name in its ARN. If the name ends in a word of six characters
  // (`my-secret`), an ARN with them looks like one without them, so both forms are granted.
  if (nameOrArn.startsWith('arn:')) return { id: nameOrArn, arns: [nameOrArn, `${nameOrArn}-??????`] }
  const arn = Stack.of(scope).formatArn({
    service: 'secretsmanager',
    resource: 'secret',
    resourceName: nameOrArn,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  })
  return { id: nameOrArn, arns: [`${arn}-??????`] }
}
