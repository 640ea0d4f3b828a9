import type { LastLook } from '../../functions/problems/look-items.ts'
import { nameOfProblem } from '../../functions/problems/problem.ts'
import type { CheckContext } from './context.ts'
import { functionOf } from './grants.ts'

/** As after a first deployment: each receiver, the topic too, will be told everything that is open. */
export async function forgetAlerts({ account, deployment }: CheckContext): Promise<void> {
  for (const { pk, sk } of await account.scan(deployment.table)) {
    const key = { pk: String(pk?.S), sk: String(sk?.S) }
    if (key.sk.startsWith('alert#')) await account.deleteItem(deployment.table, key)
  }
}

/** Looks for problems, as a rule does every five minutes. Returns them as `stale CL`. */
export async function look(context: CheckContext): Promise<string[]> {
  const { error, result } = await context.account.invoke(await functionOf(context, 'Freshness'), {})
  if (error !== undefined) throw new Error(error)
  return (result as LastLook).problems.map(nameOfProblem)
}
