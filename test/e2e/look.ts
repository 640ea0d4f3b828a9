import type { CheckContext } from './context.ts'
import { functionOf } from './grants.ts'
import { alerts } from './receivers.ts'

/** As after a first deployment: each receiver will be told everything that is open. */
export async function forgetAlerts({ account, deployment }: CheckContext): Promise<void> {
  for (const { url } of alerts)
    await account.deleteItem(deployment.table, { pk: 'freshness', sk: `alert#${url}` })
}

/** Looks for problems, as a rule does every five minutes. */
export async function look(context: CheckContext): Promise<void> {
  const { error } = await context.account.invoke(await functionOf(context, 'Freshness'), {})
  if (error !== undefined) throw new Error(error)
}
