/**
 * The state machine of one sync (Amazon States Language, JSONPath, Standard): it invokes the worker until the worker
 * returns a final status, compares a published snapshot with the previous one, and then makes its table. `npm start` runs this
 * definition too. The deployment fills in the ARNs.
 */

import { executionLimitSeconds } from '../../functions/runtime/execution-limit.ts'
import {
  notRepeated,
  onError,
  optionalTask,
  restartRetriers,
  taskTimeoutSeconds,
  workerRetriers,
} from './tasks.ts'

/** The functions of the definition: substitutions of CloudFormation. */
// biome-ignore lint/suspicious/noTemplateCurlyInString: a substitution of CloudFormation
export const workerResource = '${WorkerArn}'
// biome-ignore lint/suspicious/noTemplateCurlyInString: a substitution of CloudFormation
export const compareResource = '${CompareArn}'
// biome-ignore lint/suspicious/noTemplateCurlyInString: a substitution of CloudFormation
export const tablesResource = '${TablesArn}'
/** Invokes a function and waits until its token is sent, whatever it returns. */
// biome-ignore lint/suspicious/noTemplateCurlyInString: a substitution of CloudFormation
export const callbackResource = '${InvokeAndAwaitToken}'

const execution = { 'id.$': '$$.Execution.Id', 'startedAt.$': '$$.Execution.StartTime' }

/** The plan whose chunks are written and committed. */
const planned = { 'entity.$': '$.table.entity', 'runId.$': '$.table.runId', 'plan.$': '$.table.plan' }

const onStatus = (status: string, next: string) => ({
  Variable: '$.status',
  StringEquals: status,
  Next: next,
})

const compareTask = { resource: compareResource, retry: restartRetriers, next: 'PlanTable' }
const tableTask = { resource: tablesResource, retry: restartRetriers }

export const syncStateMachine = {
  Comment: 'Scrolls one entity, step by step, until its snapshot is published or the run has ended.',
  StartAt: 'Step',
  TimeoutSeconds: executionLimitSeconds,
  States: {
    Step: {
      Type: 'Task',
      Resource: workerResource,
      Parameters: { task: 'step', 'input.$': '$$.Execution.Input', execution, 'previous.$': '$' },
      TimeoutSeconds: taskTimeoutSeconds,
      Retry: workerRetriers,
      Catch: onError('RecordFailure'),
      Next: 'Decide',
    },
    Decide: {
      Type: 'Choice',
      Choices: [
        // A comparison with a value that does not exist would end the execution with States.Runtime.
        { Variable: '$.status', IsPresent: false, Next: 'UnknownWorkerStatus' },
        // An increment has published its set, or found nothing new. Nothing is compared.
        { Variable: '$.kind', IsPresent: true, Next: 'Published' },
        // A worker of 1.0.0 names no time limit: its run looks again soon.
        { Variable: '$.slotSeconds', IsPresent: true, Next: 'AwaitSlot' },
        onStatus('running', 'Step'),
        onStatus('waiting', 'Wait'),
        onStatus('published', 'Compare'),
        onStatus('skipped', 'Skipped'),
        onStatus('refused', 'Refused'),
        onStatus('failed', 'IsRepeated'),
        onStatus('cancelled', 'AwaitStop'),
      ],
      Default: 'UnknownWorkerStatus',
    },
    // The worker offers to repeat a run that failed because the platform was away. What somebody started is not repeated.
    IsRepeated: {
      Type: 'Choice',
      Choices: [
        { Variable: '$.repeat', IsPresent: false, Next: 'Failed' },
        { Variable: '$$.Execution.Input.repeat', IsPresent: false, Next: 'Failed' },
        { Variable: '$$.Execution.Input.repeat', BooleanEquals: true, Next: 'AwaitRepeat' },
      ],
      Default: 'Failed',
    },
    AwaitRepeat: { Type: 'Wait', SecondsPath: '$.repeat.waitSeconds', Next: 'Step' },
    // A failed comparison never changes the outcome of the sync. The next one starts from the same tip.
    Compare: optionalTask({
      ...compareTask,
      parameters: { task: 'compare', 'input.$': '$$.Execution.Input', 'run.$': '$' },
      failed: 'RecordFailedComparison',
    }),
    RecordFailedComparison: optionalTask({
      ...compareTask,
      parameters: {
        task: 'record-failure',
        'input.$': '$$.Execution.Input',
        'run.$': '$',
        'error.$': '$.error',
      },
    }),
    // Nor does a failed table, which the next publication repairs. The table is made after the comparison and not at
    // the same time, so that it does not compete for the account's concurrency with the change set, for which readers
    // wait first.
    PlanTable: optionalTask({
      ...tableTask,
      parameters: { task: 'plan-table', 'run.$': '$' },
      resultPath: '$.table',
      failed: 'RecordFailedTable',
      next: 'IsTablePlanned',
    }),
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
      // Half of the executions of a new account, so that callers of the API find the others.
      MaxConcurrency: 5,
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
      Catch: onError('RecordFailedTable'),
      Next: 'CommitTable',
    },
    CommitTable: optionalTask({
      ...tableTask,
      parameters: { task: 'commit-table', ...planned, 'written.$': '$.written' },
      resultPath: '$.commit',
      failed: 'RecordFailedTable',
      next: 'IsTableOutdated',
    }),
    // Another commit came first, or the configuration has changed.
    IsTableOutdated: {
      Type: 'Choice',
      Choices: [
        { Variable: '$.commit.status', IsPresent: false, Next: 'Published' },
        { Variable: '$.commit.status', StringEquals: 'outdated', Next: 'PlanTable' },
      ],
      Default: 'Published',
    },
    RecordFailedTable: optionalTask({
      ...tableTask,
      parameters: { task: 'record-table-failure', 'run.$': '$', 'error.$': '$.error' },
      next: 'Published',
    }),
    // The function that frees a slot sends the token. If none does, the worker looks for a slot after the time limit.
    AwaitSlot: {
      Type: 'Task',
      Resource: callbackResource,
      Parameters: {
        FunctionName: workerResource,
        Payload: { task: 'await-slot', 'slot.$': '$.slot', 'runId.$': '$.runId', 'token.$': '$$.Task.Token' },
      },
      ResultPath: null,
      TimeoutSecondsPath: '$.slotSeconds',
      Retry: [notRepeated('States.Timeout'), ...workerRetriers],
      Catch: [{ ErrorEquals: ['States.ALL'], ResultPath: null, Next: 'Step' }],
      Next: 'Step',
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
    RecordFailure: optionalTask({
      resource: workerResource,
      retry: workerRetriers,
      parameters: {
        task: 'record-failure',
        'input.$': '$$.Execution.Input',
        execution,
        'previous.$': '$',
        'error.$': '$.error',
      },
      next: 'HasCause',
    }),
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
