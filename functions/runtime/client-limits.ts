const limits = (timeoutMs: number, maxAttempts: number) => ({
  maxAttempts,
  requestHandler: {
    connectionTimeout: 1_000,
    // Until the response begins. Without `throwOnRequestTimeout` the SDK only logs a warning.
    requestTimeout: timeoutMs,
    throwOnRequestTimeout: true,
    // Without any byte, also within the body of a response.
    socketTimeout: timeoutMs,
  },
})

/** Time limits of one attempt and the number of attempts, for each of the AWS clients. */
export const clientLimits = {
  secrets: limits(3_000, 2),
  table: limits(3_000, 4),
  stateMachine: limits(5_000, 3),
  events: limits(5_000, 4),
  bucket: limits(30_000, 4),
} as const
