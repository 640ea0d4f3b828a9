/** What API Gateway knows about the caller; a local gateway without authorization knows nothing. */
export interface Authorizer {
  readonly iam?: { readonly userArn?: string }
  readonly jwt?: { readonly claims: Readonly<Record<string, unknown>> }
}

interface AuthorizedEvent {
  readonly requestContext: object
}

export const authorizerOf = ({ requestContext }: AuthorizedEvent): Authorizer =>
  ('authorizer' in requestContext ? (requestContext.authorizer ?? {}) : {}) as Authorizer

/** An AWS identity without partition and account, which are the deployment's: `user/alice` or `assumed-role/Ops/alice`. */
export const identityName = (arn: string): string => arn.split(':').slice(5).join(':')

/** The caller in a form for people to read: the name of an AWS identity, or the subject or client of a token. */
export function callerName(event: AuthorizedEvent): string {
  const { iam, jwt } = authorizerOf(event)
  const names = [iam?.userArn && identityName(iam.userArn), jwt?.claims['sub'], jwt?.claims['client_id']]
  return names.find((name): name is string => typeof name === 'string' && name !== '') ?? 'unknown caller'
}
