/**
 * How an exchange with the platform failed, which decides whether the request may be repeated:
 * - `not-sent`: the time limit was reached before the request could be sent
 * - `unreachable`: no connection, so nothing of the request was sent (DNS, TCP, TLS); the message of the cause is the reason
 * - `timeout`: sent, but no complete response came in time: the outcome is unknown
 * - `interrupted`: sent, then the connection broke or the body was truncated: the outcome is unknown
 * - `too-large`: the response is larger than the caller accepts
 */
export type UpstreamFailureKind = 'not-sent' | 'unreachable' | 'timeout' | 'interrupted' | 'too-large'

export class UpstreamFailure extends Error {
  override readonly name = 'UpstreamFailure'
  readonly kind: UpstreamFailureKind

  constructor(kind: UpstreamFailureKind, options?: ErrorOptions) {
    super(`The exchange with the platform failed: ${kind}`, options)
    this.kind = kind
  }

  /** Why, in a clause without a full stop: `host shop.invalid not found` if it is unreachable. */
  get reason(): string {
    if (this.kind === 'not-sent') return 'the time limit was reached before the request could be sent'
    return this.cause instanceof Error ? this.cause.message : this.kind
  }

  /** False if the platform cannot have received the request, so that any request may be repeated. */
  get sent(): boolean {
    return this.kind !== 'not-sent' && this.kind !== 'unreachable'
  }
}

/**
 * Why there are no usable credentials: `not-set` (still the placeholder), `malformed` (the secret's value is wrong) or
 * `unreadable` (the secret could not be read).
 */
export type CredentialsErrorKind = 'not-set' | 'malformed' | 'unreadable'

/** The credentials cannot be used; the operator must act. The message never contains a value of the secret. */
export class CredentialsError extends Error {
  override readonly name = 'CredentialsError'
  readonly kind: CredentialsErrorKind

  constructor(kind: CredentialsErrorKind, message: string, options?: ErrorOptions) {
    super(message, options)
    this.kind = kind
  }
}
