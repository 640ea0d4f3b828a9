/** How an exchange with the platform failed, which decides whether the request may be repeated. */
export type UpstreamFailureKind =
  /** Nothing was sent: the time limit was reached, or there was no connection (DNS, TCP, TLS). */
  | 'not-sent'
  | 'unreachable'
  /** The outcome is unknown: no response in time, one that was cut off, or one against the rules of HTTP. */
  | 'timeout'
  | 'interrupted'
  | 'unreadable'
  | 'too-large'

export class UpstreamFailure extends Error {
  override readonly name = 'UpstreamFailure'
  readonly kind: UpstreamFailureKind

  constructor(kind: UpstreamFailureKind, options?: ErrorOptions) {
    super(`The exchange with the platform failed: ${kind}`, options)
    this.kind = kind
  }

  /** Why there is no response, in a clause without a full stop: `host shop.invalid not found` if it is unreachable. */
  get reason(): string {
    return reasonOf(this.kind, this.cause instanceof Error ? this.cause : new Error(this.kind))
  }

  /** False if the platform cannot have received the request, so that any request may be repeated. */
  get sent(): boolean {
    return this.kind !== 'not-sent' && this.kind !== 'unreachable'
  }
}

function reasonOf(kind: UpstreamFailureKind, cause: Error): string {
  switch (kind) {
    case 'not-sent':
      return 'the time limit was reached before the request could be sent'
    case 'unreachable':
      return cause.message
    case 'timeout':
      return 'the platform did not respond in time'
    case 'interrupted':
      return `the connection broke before the response was complete${'code' in cause ? ` (${String(cause.code)})` : ''}`
    case 'unreadable':
      return `the response of the platform cannot be read: ${cause.message}`
    case 'too-large':
      return 'the response is too large'
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
