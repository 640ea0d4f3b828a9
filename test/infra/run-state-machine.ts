import { compareResource, syncStateMachine, tablesResource } from '../../lib/sync/state-machine.ts'
import { readDefinition } from '../../local/states/definition.ts'
import { type ExecutionOutcome, startExecution } from '../../local/states/execution.ts'

type TaskState =
  | 'Step'
  | 'AwaitSlot'
  | 'RecordFailure'
  | 'Compare'
  | 'RecordFailedComparison'
  | 'PlanTable'
  | 'WriteChunks'
  | 'CommitTable'
  | 'RecordFailedTable'

const tableStates: Readonly<Record<string, TaskState>> = {
  'plan-table': 'PlanTable',
  'write-chunk': 'WriteChunks',
  'commit-table': 'CommitTable',
  'record-table-failure': 'RecordFailedTable',
}

function stateOf(resource: string, task: string): TaskState {
  if (resource === tablesResource) return tableStates[task] ?? 'PlanTable'
  if (resource === compareResource) return task === 'compare' ? 'Compare' : 'RecordFailedComparison'
  if (task === 'await-slot') return 'AwaitSlot'
  return task === 'step' ? 'Step' : 'RecordFailure'
}

/** The input of the executions, unless another one is given. */
export const input = { entity: 'CL', acceptShrink: true, acceptDeletes: true }

/** More than any test invokes. An execution that does not end would keep the test from ending. */
const maxInvocations = 1_000

interface Options {
  readonly Input?: object
  readonly sleep?: (ms: number) => Promise<void>
  /** Is given what sends a token. */
  readonly afterInvocation?: (send: (token: string) => boolean) => void
}

/** Runs the definition with these handlers and without waiting. */
export async function run(
  handlers: Partial<Record<TaskState, (payload: unknown) => Promise<unknown>>>,
  { Input = input, sleep = async () => {}, afterInvocation = () => {} }: Options = {},
): Promise<ExecutionOutcome> {
  const execution = { Id: 'execution-1', Name: 'test', StartTime: new Date(0).toISOString(), Input }
  let invocations = 0
  const running = startExecution(
    readDefinition(syncStateMachine),
    { Execution: execution },
    {
      invoke: async (resource, payload) => {
        if (++invocations > maxInvocations) throw new Error('The execution does not end.')
        const { task } = payload as { task: string }
        const result = (await handlers[stateOf(resource, task)]?.(payload)) ?? {}
        afterInvocation(running.sendTaskSuccess)
        return result
      },
      sleep,
      random: () => 1,
    },
  )
  return running.outcome
}
