import assert from 'node:assert/strict'
import type { Account } from './account.ts'
import type { CheckContext } from './context.ts'

/** Name of a deployed function, by its id in the CDK app. */
export async function functionOf({ account, deployment }: CheckContext, id: string): Promise<string> {
  const functions = await account.listFunctions()
  const found = functions.filter((each) => each.stack.startsWith(deployment.name) && each.id === id)
  assert.equal(found.length, 1, `${id} among ${functions.map(({ name }) => name).join(', ')}`)
  return found[0]?.name ?? ''
}

/** One action that a role is allowed. */
export interface Grant {
  readonly action: string
  /** JSON text of the resources. */
  readonly on: string
  /** Revokes the action while `work` runs. */
  without(work: () => Promise<void>): Promise<void>
}

interface PolicyDocument {
  readonly Statement: readonly {
    readonly Effect: 'Allow' | 'Deny'
    readonly Action: string | readonly string[]
    readonly Resource?: unknown
  }[]
}

/** Each action of each statement of a deployed role. */
export async function grantsOf(account: Account, roleName: string): Promise<Grant[]> {
  const attached = await account.iam({ Action: 'ListAttachedRolePolicies', RoleName: roleName })
  assert.doesNotMatch(
    attached,
    /<PolicyArn>/,
    `${roleName} has managed policies, which this check does not support`,
  )
  const list = await account.iam({ Action: 'ListRolePolicies', RoleName: roleName })
  const grants: Grant[] = []
  for (const [, policyName = ''] of list.matchAll(/<member>([^<]+)<\/member>/g)) {
    const policy = { RoleName: roleName, PolicyName: policyName }
    const response = await account.iam({ Action: 'GetRolePolicy', ...policy })
    const encoded = /<PolicyDocument>([^<]+)</.exec(response)?.[1] ?? ''
    const document = JSON.parse(decodeURIComponent(encoded)) as PolicyDocument
    const put = (changed: PolicyDocument) =>
      account.iam({ Action: 'PutRolePolicy', ...policy, PolicyDocument: JSON.stringify(changed) })
    for (const [index, statement] of document.Statement.entries()) {
      if (statement.Effect === 'Deny') continue
      for (const action of [statement.Action].flat()) {
        grants.push({
          action,
          on: JSON.stringify(statement.Resource ?? ''),
          async without(work) {
            await put(withoutAction(document, index, action))
            try {
              await work()
            } finally {
              await put(document)
            }
          },
        })
      }
    }
  }
  assert.ok(grants.length > 0, `${roleName} has no grants`)
  return grants
}

function withoutAction(document: PolicyDocument, index: number, action: string): PolicyDocument {
  const Statement = document.Statement.flatMap((statement, place) => {
    if (place !== index) return [statement]
    const Action = [statement.Action].flat().filter((other) => other !== action)
    return Action.length > 0 ? [{ ...statement, Action }] : []
  })
  return { ...document, Statement }
}
