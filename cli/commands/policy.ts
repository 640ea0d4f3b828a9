import { roles } from '../../operator/access/operations.ts'
import { readPolicy } from '../../operator/access/read-policy.ts'
import { findDeployment } from '../../operator/deployment/deployment.ts'
import { CommandError } from '../../operator/errors.ts'
import { defineCommand } from '../shell/command.ts'

export const policyCommand = defineCommand({
  name: 'policy',
  summary: 'Print the IAM policy of an operator',
  options: { '--role <ROLE>': { summary: 'What the operator may do', choices: roles, default: 'view' } },
  description: [
    'view reads; operate also runs, accepts and pauses syncs; administer also uses credentials and deletes data. ' +
      'docs/permissions.md lists the calls of each command. Print the policy again after a deployment that replaces ' +
      'resources.',
  ],
  examples: { 'policy --role operate': 'Print what is needed to start and cancel syncs' },
  async run({ values, target }) {
    const deployment = await findDeployment(target)
    if (deployment.kind === 'local') throw new CommandError('npm start needs no permissions.')
    const policy = await readPolicy(values.role, deployment)
    return { ok: true, text: JSON.stringify(policy, undefined, 2), data: policy, form: 'unwrapped' }
  },
})
