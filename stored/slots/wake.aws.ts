import {
  InvalidToken,
  SendTaskSuccessCommand,
  SFNClient,
  TaskDoesNotExist,
  TaskTimedOut,
} from '@aws-sdk/client-sfn'
import { clientLimits } from '../../functions/runtime/client-limits.ts'
import { reasonOf } from '../../functions/runtime/format.ts'
import type { Log } from '../../functions/runtime/log.ts'
import type { Waker } from './slots.ts'

/** Continues the executions of runs that wait for a slot. */
export function createWake(log: Log, client = new SFNClient(clientLimits.stateMachine)): Waker['wake'] {
  return async (taskToken) => {
    try {
      await client.send(new SendTaskSuccessCommand({ taskToken, output: '{}' }))
      return { kind: 'woken' }
    } catch (error) {
      // The execution was stopped, or looks for a slot itself.
      if (error instanceof TaskTimedOut || error instanceof TaskDoesNotExist || error instanceof InvalidToken)
        return { kind: 'gone' }
      // The run that frees its slot has done its work. The next look for problems tries to wake the other one.
      log('WARN', 'run not woken', { reason: String(error) })
      return { kind: 'failed', reason: reasonOf(error) }
    }
  }
}
