const shortRetries = {
  IntervalSeconds: 2,
  BackoffRate: 1.5,
  MaxDelaySeconds: 30,
  MaxAttempts: 12,
  JitterStrategy: 'FULL',
}

/** Errors of the Lambda service. */
const lambdaRetriers = [
  // The account's concurrency is used up. Retried for about 20 minutes, as long as a scroll's token lives.
  {
    ErrorEquals: ['Lambda.TooManyRequestsException'],
    IntervalSeconds: 2,
    BackoffRate: 1.5,
    MaxDelaySeconds: 60,
    MaxAttempts: 48,
    JitterStrategy: 'FULL',
  },
  {
    ErrorEquals: [
      'Lambda.ServiceException',
      'Lambda.AWSLambdaException',
      'Lambda.SdkClientException',
      'Lambda.ClientExecutionTimeoutException',
    ],
    ...shortRetries,
  },
]

/** Goes to the catchers at once. */
export const notRepeated = (error: string) => ({ ErrorEquals: [error], ...shortRetries, MaxAttempts: 0 })

/** A worker that crashed continues at the last page. */
export const workerRetriers = [...lambdaRetriers, { ErrorEquals: ['States.ALL'], ...shortRetries }]

/** A comparison or a part of a table that crashed starts over, for up to 15 minutes each time. */
export const restartRetriers = [
  ...lambdaRetriers,
  { ErrorEquals: ['States.ALL'], ...shortRetries, IntervalSeconds: 10, MaxAttempts: 2 },
]

/** Longer than the function's own time limit, so that only an invocation that hangs outside of it is cut off. */
export const taskTimeoutSeconds = 930

/** Where an error leads after the retries. It is in `$.error` then. */
export const onError = (next: string) => [{ ErrorEquals: ['States.ALL'], ResultPath: '$.error', Next: next }]

interface OptionalTask {
  readonly resource: string
  readonly parameters: object
  readonly retry: typeof workerRetriers
  /** Where the result is added to the input. Without it, the result is dropped. */
  readonly resultPath?: string
  /** The state that an error leads to. Without it, an error is ignored. */
  readonly failed?: string
  readonly next: string
}

/** A task whose error does not end the execution. */
export const optionalTask = ({ resource, parameters, retry, resultPath, failed, next }: OptionalTask) => ({
  Type: 'Task',
  Resource: resource,
  Parameters: parameters,
  ResultPath: resultPath ?? null,
  TimeoutSeconds: taskTimeoutSeconds,
  Retry: retry,
  Catch: failed ? onError(failed) : [{ ErrorEquals: ['States.ALL'], ResultPath: null, Next: next }],
  Next: next,
})
