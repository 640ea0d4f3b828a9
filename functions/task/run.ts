import type { EventSender, PublishedEvent } from '../../stored/events.ts'
import { type Ending, report } from './report.ts'

/** A task that cannot succeed, for a reason that an operator can act on. Nothing that is published has changed. */
export class TaskFailed extends Error {
  override readonly name: string = 'TaskFailed'
}

/** A task of one of the functions that the state machine invokes. */
export interface Task<R, E> {
  /** Throws `TaskFailed` if the task fails, and other errors if a retry may help. */
  readonly run: () => Promise<R>
  /** The result of a task that failed. */
  readonly failed: (failure: TaskFailed) => R | Promise<R>
  readonly ending: (result: R) => Ending<E>
}

/** Carries out a task and reports how it ended. Rejects on errors that a retry may resolve, such as errors of AWS. */
export async function carryOutTask<R, E extends PublishedEvent>(
  context: EventSender<E>,
  { run, failed, ending }: Task<R, E>,
): Promise<R> {
  const result = await resultOf(run, failed)
  await report(context, ending(result))
  return result
}

/** The result of a part of a task that may fail, which the whole task reports. */
export async function resultOf<R>(run: () => Promise<R>, failed: Task<R, never>['failed']): Promise<R> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof TaskFailed) return failed(error)
    throw error
  }
}
