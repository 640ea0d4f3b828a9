import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../../e2e/check.ts'
import type { CheckContext } from '../../e2e/context.ts'
import { throttleScrolls } from '../../e2e/upstream.ts'
import { drill } from '../drill.ts'
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
  drill('deploy', 'Upgrade', async (world) => {
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
    /** Starts a run, and waits until the platform throttles it after its first page: other checks leave few documents. */
    const startThrottled = async (execution: string) => {
      const throttling = throttleScrolls(context.platform, 'CL', 1)
      const started = await succeeds(own.sh(`${execution} --query executionArn --output text`))
      await eventually('the run is throttled', () => throttling.struck > 0 || undefined)
      return { throttling, execution: started }
    }
    const old = await startThrottled(start('start-execution'))
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
      assert.equal(await statusOf(old.execution), 'RUNNING', 'the run ended before the deployment')
      old.throttling.remove()
      await succeeded('the run that the release started ends', old.execution)
      const { text } = await sh(doctor)
      assert.doesNotMatch(text, /Cannot read the item|✗/)
      await succeeds(sh('npx --no-install longshore verify CL'))
      if (folder === undefined) return
      const names = "aws scheduler list-schedules --query 'Schedules[].Name' --output text"
      const name = (await succeeds(own.sh(names)))
        .split(/\s+/)
        .find((each) => each.startsWith('UpgradedSync-'))
      const input = await succeeds(
        own.sh(`aws scheduler get-schedule --name ${name} --query Target.Input --output text`),
      )
      const scheduled = await startThrottled(
        `aws stepfunctions start-execution --state-machine-arn ${deployment.stateMachineArn} --input '${input.trim()}'`,
      )
      await context.deployBeside(configuration, folder)
      assert.equal(await statusOf(scheduled.execution), 'RUNNING', 'the run ended before the way back')
      scheduled.throttling.remove()
      await succeeded(
        'the run that a schedule of this version started ends after the way back',
        scheduled.execution,
      )
    }
  }),
]
