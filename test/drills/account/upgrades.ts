import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { onScroll } from '../../../local/stand-in/faults.ts'
import { eventually } from '../../e2e/check.ts'
import type { CheckContext } from '../../e2e/context.ts'
import { situation } from '../pages.ts'
import { type AccountDrill, succeeds } from './world.ts'

const entity = { name: 'CL', schedule: 'rate(30 days)' as const, pageSize: 50 }

/** The commit of the last release before this version; undefined where the checkout has no history. */
async function releaseCommit({ run }: CheckContext): Promise<string | undefined> {
  const git = (...args: string[]) => run({ file: 'git', arguments: args }).catch(() => '')
  const log = await git('log', '--format=%H', '--grep=^Release [0-9]', '--max-count=1')
  return log.trim() || undefined
}

/** A checkout of a commit with its packages. */
async function checkout({ run, folder: parent }: CheckContext, commit: string): Promise<string> {
  const folder = join(parent, 'release')
  mkdirSync(folder)
  await run({ file: 'sh', arguments: ['-c', `git archive ${commit} | tar -x -C ${folder}`] })
  await run({ file: 'npm', arguments: ['ci', '--prefer-offline', '--no-audit', '--no-fund'], folder })
  return folder
}

/** Deploys a newer version over the last release while one of its runs is in progress, and the other way round. */
export const upgradeDrills: AccountDrill[] = [
  {
    page: 'deploy',
    situation: 'Upgrade',
    async create(world) {
      const { context } = world
      const commit = await releaseCommit(context)
      const folder = commit === undefined ? undefined : await checkout(context, commit)
      if (folder === undefined)
        console.log('      Left out: deploying the last release first. This checkout has no history.')
      const upstream = { baseUrl: context.platform.url }
      const configuration = { name: 'Upgraded', upstream, entities: [entity], stepSeconds: 10 }
      const deployment = await context.deployBeside(configuration, folder)
      const [pair] = context.platform.credentials
      const own = world.of(deployment)
      const secret = `--secret-id ${deployment.secretArn} --secret-string '${JSON.stringify(pair)}'`
      await succeeds(own.sh(`aws secretsmanager put-secret-value ${secret}`))
      const start = (state: string) =>
        `aws stepfunctions ${state} --state-machine-arn ${deployment.stateMachineArn} --input '{"entity":"CL"}'`
      await eventually('the release has published', async () => {
        const { text } = await own.sh(`${start('start-execution')} --query executionArn --output text`)
        const { text: ended } = await own.sh(
          `sleep 2; aws stepfunctions describe-execution --execution-arn ${text.trim()} --query output --output text`,
        )
        return ended.includes('published') || undefined
      })
      // A run of the release is in progress.
      const slowDown = (beforeHeadersMs: number) =>
        context.platform.faults.add({
          match: onScroll({ entity: 'CL' }),
          fault: { kind: 'slow', beforeHeadersMs },
          times: Infinity,
        })
      const slow = slowDown(1_000)
      const started = await succeeds(own.sh(`${start('start-execution')} --query executionArn --output text`))
      const statusOf = async (execution: string) => {
        const describe = `aws stepfunctions describe-execution --execution-arn ${execution.trim()}`
        return (await succeeds(own.sh(`${describe} --query status --output text`))).trim()
      }
      const succeeded = (title: string, execution: string) =>
        eventually(title, async () => (await statusOf(execution)) === 'SUCCEEDED' || undefined, 90)
      return async (operator) => {
        const { sh } = operator.of(deployment)
        const commands = own.commands(situation('deploy', 'Upgrade').text)
        const [install, diff = '', deploy = '', doctor = ''] = commands
        // The packages of this checkout are installed.
        assert.equal(install, 'npm ci')
        await succeeds(sh(diff))
        await succeeds(sh(deploy))
        slow.remove()
        await succeeded('the run that the release started ends', started)
        const { text } = await sh(doctor)
        assert.doesNotMatch(text, /Cannot read the item|✗/)
        await succeeds(sh('npx --no-install longshore verify CL'))
        if (folder === undefined) return
        const slowAgain = slowDown(8_000)
        const names = "aws scheduler list-schedules --query 'Schedules[].Name' --output text"
        const name = (await succeeds(own.sh(names)))
          .split(/\s+/)
          .find((each) => each.startsWith('UpgradedSync-'))
        const input = await succeeds(
          own.sh(`aws scheduler get-schedule --name ${name} --query Target.Input --output text`),
        )
        const scheduled = await succeeds(
          own.sh(
            `aws stepfunctions start-execution --state-machine-arn ${deployment.stateMachineArn} --input '${input.trim()}' --query executionArn --output text`,
          ),
        )
        await context.deployBeside(configuration, folder)
        assert.equal(await statusOf(scheduled), 'RUNNING', 'the way back took less time than the run')
        slowAgain.remove()
        await succeeded('the run that a schedule of this version started ends after the way back', scheduled)
      }
    },
  },
]
