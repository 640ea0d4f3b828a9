import { NotDeployed } from '../deployment/deployment.ts'
import { failureOf, Interrupted } from '../errors.ts'
import type { Reporter } from '../reporter.ts'
import type { Inspected } from './facts.ts'

/** Runs an inspection. Its failure becomes a finding of its own. Throws `Interrupted`. */
export async function inspect<T>(work: () => Promise<T>): Promise<Inspected<T>> {
  try {
    return { value: await work() }
  } catch (error) {
    if (error instanceof Interrupted) throw error
    if (error instanceof NotDeployed) return { notDeployed: true }
    const { message, fix } = failureOf(error)
    return { failure: message, fix }
  }
}

/** Runs inspections at the same time and shows which of them are not finished. */
export function createInspections(reporter: Reporter, names: readonly string[]) {
  const pending = new Set(names)
  const progress = reporter.progress('Checks')
  const show = () =>
    progress.show(names.length - pending.size, names.length, { state: '', pace: [...pending].join(', ') })
  show()
  return {
    async run<T>(name: string, work: () => Promise<T>): Promise<T> {
      try {
        return await work()
      } finally {
        pending.delete(name)
        show()
      }
    },
    end: () => progress.end(),
  }
}
