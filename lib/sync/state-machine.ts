/**
 * The state machine of one sync (Amazon States Language, JSONPath, Standard): the worker is called
 * until it names an end. `npm start` runs this very definition. The worker's ARN is put in when deployed.
 */

// biome-ignore lint/suspicious/noTemplateCurlyInString: a definition substitution of CloudFormation's
const worker = '${WorkerArn}'

/** Throttled or failing Lambda, and a worker that crashed: what it can name it answers as a status. */
const budget = {
  IntervalSeconds: 2,
  BackoffRate: 1.5,
  MaxDelaySeconds: 30,
  MaxAttempts: 12,
  JitterStrategy: 'FULL',
}

const lambdaServiceErrors = [
  'Lambda.ServiceException',
  'Lambda.AWSLambdaException',
  'Lambda.SdkClientException',
  'Lambda.TooManyRequestsException',
  'Lambda.ClientExecutionTimeoutException',
]

const execution = { 'id.$': '$$.Execution.Id', 'startedAt.$': '$$.Execution.StartTime' }

const when = (status: string, next: string) => ({ Variable: '$.status', StringEquals: status, Next: next })

export const syncLoop = {
  Comment: 'Scrolls one entity, step by step, until its snapshot is published or given up.',
  StartAt: 'Step',
  // A run gives up by its own budgets long before; this stops one that a mistake of ours keeps alive.
  TimeoutSeconds: 24 * 3600,
  States: {
    Step: {
      Type: 'Task',
      Resource: worker,
      Parameters: { task: 'step', 'input.$': '$$.Execution.Input', execution },
      // Longer than the function's own limit, so that only a call that hangs outside it is cut off.
      TimeoutSeconds: 930,
      Retry: [
        { ErrorEquals: lambdaServiceErrors, ...budget },
        { ErrorEquals: ['States.ALL'], ...budget },
      ],
      Catch: [{ ErrorEquals: ['States.ALL'], ResultPath: '$.error', Next: 'RecordFailure' }],
      Next: 'Decide',
    },
    Decide: {
      Type: 'Choice',
      Choices: [
        when('running', 'Step'),
        when('waiting', 'Wait'),
        when('published', 'Published'),
        when('skipped', 'Skipped'),
        when('refused', 'Refused'),
        when('failed', 'Failed'),
        when('cancelled', 'AwaitStop'),
      ],
      Default: 'Misunderstood',
    },
    Wait: { Type: 'Wait', SecondsPath: '$.waitSeconds', Next: 'Step' },
    Published: { Type: 'Succeed' },
    Skipped: { Type: 'Succeed' },
    Refused: { Type: 'Fail', Error: 'SyncRefused', CausePath: '$.reason' },
    Failed: { Type: 'Fail', Error: 'SyncFailed', CausePath: '$.reason' },
    // Who cancels a run also stops its execution, which then ends as ABORTED before this time is over.
    AwaitStop: { Type: 'Wait', Seconds: 60, Next: 'Cancelled' },
    Cancelled: { Type: 'Fail', Error: 'SyncCancelled', Cause: 'The run was cancelled.' },
    Misunderstood: {
      Type: 'Fail',
      Error: 'SyncMisunderstood',
      Cause: 'The worker answered a status that the state machine does not know: deploy the stacks again.',
    },
    RecordFailure: {
      Type: 'Task',
      Resource: worker,
      Parameters: {
        task: 'record-failure',
        'input.$': '$$.Execution.Input',
        execution,
        'error.$': '$.error',
      },
      ResultPath: null,
      TimeoutSeconds: 930,
      Retry: [{ ErrorEquals: ['States.ALL'], ...budget, MaxAttempts: 4 }],
      Catch: [{ ErrorEquals: ['States.ALL'], ResultPath: null, Next: 'Crashed' }],
      Next: 'Crashed',
    },
    Crashed: { Type: 'Fail', Error: 'SyncCrashed', CausePath: '$.error.Cause' },
  },
}
