/** What API Gateway knows of the caller; a local gateway without authorization knows nothing. */
export interface Authorizer {
  readonly iam?: { readonly userArn?: string }
  readonly jwt?: { readonly claims: Readonly<Record<string, unknown>> }
}

interface AuthorizedEvent {
  readonly requestContext: object
}

export const authorizerOf = ({ requestContext }: AuthorizedEvent): Authorizer =>
  ('authorizer' in requestContext ? (requestContext.authorizer ?? {}) : {}) as Authorizer

/** Who calls, for people: the ARN of an AWS identity, or the subject or client of a token. */
export function callerName(event: AuthorizedEvent): string {
  const { iam, jwt } = authorizerOf(event)
  const names = [iam?.userArn, jwt?.claims['sub'], jwt?.claims['client_id']]
  return names.find((name): name is string => typeof name === 'string' && name !== '') ?? 'unknown caller'
}
