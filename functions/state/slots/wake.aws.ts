import {
  InvalidToken,
  SendTaskSuccessCommand,
  SFNClient,
  TaskDoesNotExist,
  TaskTimedOut,
} from '@aws-sdk/client-sfn'
import { clientLimits } from '../../runtime/client-limits.ts'
import type { Log } from '../../runtime/log.ts'
import type { Waker } from './slots.ts'

/** Continues the executions of runs that wait for a slot. */
export function createWake(log: Log, client = new SFNClient(clientLimits.stateMachine)): Waker['wake'] {
  return async (taskToken) => {
    try {
      await client.send(new SendTaskSuccessCommand({ taskToken, output: '{}' }))
      return 'woken'
    } catch (error) {
      // The execution was stopped, or looks for a slot itself.
      if (error instanceof TaskTimedOut || error instanceof TaskDoesNotExist || error instanceof InvalidToken)
        return 'gone'
      // The run that frees its slot has done its work. The other one looks for a slot itself after a while.
      log('WARN', 'run not woken', { reason: String(error) })
      return 'failed'
    }
  }
}
