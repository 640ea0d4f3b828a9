/**
 * The state machine of one sync (Amazon States Language, JSONPath, Standard): it invokes the worker until the worker
 * returns a final status, compares a published snapshot with the one before, and then makes its table. `npm start` runs this
 * definition too. The deployment fills in the ARNs.
 */

/** The functions of the definition: substitutions of CloudFormation. */
// biome-ignore lint/suspicious/noTemplateCurlyInString: a substitution of CloudFormation
export const workerResource = '${WorkerArn}'
// biome-ignore lint/suspicious/noTemplateCurlyInString: a substitution of CloudFormation
export const compareResource = '${CompareArn}'
// biome-ignore lint/suspicious/noTemplateCurlyInString: a substitution of CloudFormation
export const tablesResource = '${TablesArn}'

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

/** A worker that crashed continues at the last page. */
const workerRetriers = [...lambdaRetriers, { ErrorEquals: ['States.ALL'], ...shortRetries }]

/** A comparison or a part of a table that crashed starts over, for up to 15 minutes each time. */
const restartRetriers = [
  ...lambdaRetriers,
  { ErrorEquals: ['States.ALL'], ...shortRetries, IntervalSeconds: 10, MaxAttempts: 2 },
]

const execution = { 'id.$': '$$.Execution.Id', 'startedAt.$': '$$.Execution.StartTime' }

/** Longer than the function's own time limit, so that only an invocation that hangs outside of it is cut off. */
const taskTimeoutSeconds = 930

/** The plan whose chunks are written and committed. */
const planned = { 'entity.$': '$.table.entity', 'runId.$': '$.table.runId', 'plan.$': '$.table.plan' }

const onStatus = (status: string, next: string) => ({
  Variable: '$.status',
  StringEquals: status,
  Next: next,
})

export const syncStateMachine = {
  Comment: 'Scrolls one entity, step by step, until its snapshot is published or the run has ended.',
  StartAt: 'Step',
  // A run gives up within its own budgets long before. This stops a run that a bug keeps alive.
  TimeoutSeconds: 24 * 3600,
  States: {
    Step: {
      Type: 'Task',
      Resource: workerResource,
      Parameters: { task: 'step', 'input.$': '$$.Execution.Input', execution },
      TimeoutSeconds: taskTimeoutSeconds,
      Retry: workerRetriers,
      Catch: [{ ErrorEquals: ['States.ALL'], ResultPath: '$.error', Next: 'RecordFailure' }],
      Next: 'Decide',
    },
    Decide: {
      Type: 'Choice',
      Choices: [
        // A comparison with a value that does not exist would end the execution with States.Runtime.
        { Variable: '$.status', IsPresent: false, Next: 'UnknownWorkerStatus' },
        // An increment has published its set, or found nothing new. Nothing is compared.
        { Variable: '$.kind', IsPresent: true, Next: 'Published' },
        onStatus('running', 'Step'),
        onStatus('waiting', 'Wait'),
        onStatus('published', 'Compare'),
        onStatus('skipped', 'Skipped'),
        onStatus('refused', 'Refused'),
        onStatus('failed', 'Failed'),
        onStatus('cancelled', 'AwaitStop'),
      ],
      Default: 'UnknownWorkerStatus',
    },
    // A failed comparison never changes the outcome of the sync. The next one starts from the same tip.
    Compare: {
      Type: 'Task',
      Resource: compareResource,
      Parameters: { task: 'compare', 'input.$': '$$.Execution.Input', 'run.$': '$' },
      ResultPath: null,
      TimeoutSeconds: taskTimeoutSeconds,
      Retry: restartRetriers,
      Catch: [{ ErrorEquals: ['States.ALL'], ResultPath: '$.error', Next: 'RecordFailedComparison' }],
      Next: 'PlanTable',
    },
    RecordFailedComparison: {
      Type: 'Task',
      Resource: compareResource,
      Parameters: {
        task: 'record-failure',
        'input.$': '$$.Execution.Input',
        'run.$': '$',
        'error.$': '$.error',
      },
      ResultPath: null,
      TimeoutSeconds: taskTimeoutSeconds,
      Retry: restartRetriers,
      Catch: [{ ErrorEquals: ['States.ALL'], ResultPath: null, Next: 'PlanTable' }],
      Next: 'PlanTable',
    },
    // Nor does a failed table. The next publication makes it whole. It follows the comparison rather than running next to
    // it, so that neither competes for the account's concurrency with what readers wait for first.
    PlanTable: {
      Type: 'Task',
      Resource: tablesResource,
      Parameters: { task: 'plan-table', 'run.$': '$' },
      ResultPath: '$.table',
      TimeoutSeconds: taskTimeoutSeconds,
      Retry: restartRetriers,
      Catch: [{ ErrorEquals: ['States.ALL'], ResultPath: '$.error', Next: 'RecordFailedTable' }],
      Next: 'IsTablePlanned',
    },
    IsTablePlanned: {
      Type: 'Choice',
      Choices: [
        { Variable: '$.table.status', IsPresent: false, Next: 'Published' },
        { Variable: '$.table.status', StringEquals: 'planned', Next: 'WriteChunks' },
      ],
      Default: 'Published',
    },
    WriteChunks: {
      Type: 'Map',
      ItemsPath: '$.table.chunks',
      MaxConcurrency: 10,
      ItemSelector: { task: 'write-chunk', ...planned, 'chunk.$': '$$.Map.Item.Value' },
      ItemProcessor: {
        ProcessorConfig: { Mode: 'INLINE' },
        StartAt: 'WriteChunk',
        States: {
          WriteChunk: {
            Type: 'Task',
            Resource: tablesResource,
            TimeoutSeconds: taskTimeoutSeconds,
            Retry: restartRetriers,
            End: true,
          },
        },
      },
      ResultPath: '$.written',
      Catch: [{ ErrorEquals: ['States.ALL'], ResultPath: '$.error', Next: 'RecordFailedTable' }],
      Next: 'CommitTable',
    },
    CommitTable: {
      Type: 'Task',
      Resource: tablesResource,
      Parameters: { task: 'commit-table', ...planned, 'written.$': '$.written' },
      ResultPath: '$.commit',
      TimeoutSeconds: taskTimeoutSeconds,
      Retry: restartRetriers,
      Catch: [{ ErrorEquals: ['States.ALL'], ResultPath: '$.error', Next: 'RecordFailedTable' }],
      Next: 'IsTableOutdated',
    },
    // Another commit came first, or the configuration has changed.
    IsTableOutdated: {
      Type: 'Choice',
      Choices: [
        { Variable: '$.commit.status', IsPresent: false, Next: 'Published' },
        { Variable: '$.commit.status', StringEquals: 'outdated', Next: 'PlanTable' },
      ],
      Default: 'Published',
    },
    RecordFailedTable: {
      Type: 'Task',
      Resource: tablesResource,
      Parameters: { task: 'record-table-failure', 'run.$': '$', 'error.$': '$.error' },
      ResultPath: null,
      TimeoutSeconds: taskTimeoutSeconds,
      Retry: restartRetriers,
      Catch: [{ ErrorEquals: ['States.ALL'], ResultPath: null, Next: 'Published' }],
      Next: 'Published',
    },
    Wait: { Type: 'Wait', SecondsPath: '$.waitSeconds', Next: 'Step' },
    Published: { Type: 'Succeed' },
    Skipped: { Type: 'Succeed' },
    Refused: { Type: 'Fail', Error: 'SyncRefused', CausePath: '$.reason' },
    Failed: { Type: 'Fail', Error: 'SyncFailed', CausePath: '$.reason' },
    // Cancelling a run also stops its execution, which ends as ABORTED before this time is over.
    AwaitStop: { Type: 'Wait', Seconds: 60, Next: 'Cancelled' },
    Cancelled: { Type: 'Fail', Error: 'SyncCancelled', Cause: 'The run was cancelled.' },
    UnknownWorkerStatus: {
      Type: 'Fail',
      Error: 'UnknownWorkerStatus',
      Cause: 'The worker returned a status that the state machine does not know. Deploy the stacks again.',
    },
    RecordFailure: {
      Type: 'Task',
      Resource: workerResource,
      Parameters: {
        task: 'record-failure',
        'input.$': '$$.Execution.Input',
        execution,
        'error.$': '$.error',
      },
      ResultPath: null,
      TimeoutSeconds: taskTimeoutSeconds,
      Retry: workerRetriers,
      Catch: [{ ErrorEquals: ['States.ALL'], ResultPath: null, Next: 'HasCause' }],
      Next: 'HasCause',
    },
    // An error such as States.Timeout may come without a cause.
    HasCause: {
      Type: 'Choice',
      Choices: [{ Variable: '$.error.Cause', IsPresent: true, Next: 'Crashed' }],
      Default: 'CrashedWithoutCause',
    },
    Crashed: { Type: 'Fail', Error: 'SyncCrashed', CausePath: '$.error.Cause' },
    CrashedWithoutCause: {
      Type: 'Fail',
      Error: 'SyncCrashed',
      Cause: "The worker did not respond within its time limit. See the worker's log.",
    },
  },
}
