import assert from 'node:assert/strict'
import { eventually } from '../../e2e/check.ts'
import { look } from '../../e2e/look.ts'
import { drill } from '../drill.ts'
import { partOf, queriesOf, situation } from '../pages.ts'
import type { AccountDrill, AccountOperator, AccountWorld } from './world.ts'
import { backdate, lineWith, succeeds } from './world.ts'

const incomplete = situation('runbook', 'erasure-incomplete')
const byHand = situation('runbook', 'Erasure')
const manual = situation('runbook', 'Manual changes')

const setDays = ({ context }: AccountWorld, eraseWithinDays: number | undefined) =>
  context.deployment.deployAgain({ eraseWithinDays })

/** Runs both tasks as the page says, and waits until they have ended. */
async function eraseNow(world: AccountWorld, operator: AccountOperator): Promise<void> {
  const [invoke = ''] = world.commands(byHand.text)
  await succeeds(operator.sh(`cd "$TMPDIR"\n${invoke}`))
  const [ended = 'Crashes'] = queriesOf(partOf(incomplete, 'Investigate'))
  await eventually('both tasks have ended', async () => {
    const messages = (await operator.query(ended)).map(({ message }) => message)
    return messages.includes('erasure ended') && messages.includes('table erasure ended') ? true : undefined
  })
}

/** What `eraseWithinDays` demands. */
export const erasureDrills: AccountDrill[] = [
  drill('runbook', 'erasure-waits', async (world) => {
    const { bucket } = world.context.deployment
    await succeeds(world.sh(`echo x | aws s3 cp - s3://${bucket}/snapshots/Gone/r/a1-p000001-x.ndjson.gz`))
    return async (operator) => {
      const section = situation('runbook', 'erasure-waits')
      const list = `aws s3 ls s3://${bucket}/snapshots/`
      assert.match(await succeeds(operator.sh(list)), /PRE Gone\//)
      const purge = world.commands(section.text, { ENTITY: 'Gone' }).at(-1) ?? ''
      await succeeds(operator.sh(`${purge} --yes`))
      assert.doesNotMatch(await succeeds(operator.sh(list)), /PRE Gone\//)
    }
  }),
  drill('runbook', 'erasure-incomplete', async (world) => {
    await setDays(world, 365)
    await look(world.context)
    // As if the tasks had not run for years.
    await backdate(world, 'By_Time#erasure')
    return async (operator) => {
      const status = 'npx --no-install longshore status'
      const problem = /daily task has not erased all old snapshots and change sets of By_Time/
      assert.match(await succeeds(operator.sh(status)), problem)
      await eraseNow(world, operator)
      assert.doesNotMatch(await succeeds(operator.sh(status)), problem)
      await setDays(world, undefined)
    }
  }),
  drill('runbook', 'Erasure', async (world) => {
    await setDays(world, 365)
    const names = await succeeds(world.sh("aws events list-rules --query 'Rules[].Name' --output text"))
    const rule = names.split(/\s+/).find((name) => name.includes('EraseSchedule')) ?? ''
    await succeeds(world.sh(`aws events disable-rule --name ${rule}`))
    return async (operator) => {
      const [query = 'Crashes'] = queriesOf(incomplete.text).slice(-1)
      assert.deepEqual(await operator.query(query), [])
      const list = world.commands(manual.text).at(-1) ?? ''
      assert.match(lineWith(await succeeds(operator.sh(list)), rule), /DISABLED/)
      // "Manual changes": revert the change by hand.
      await succeeds(operator.sh(`aws events enable-rule --name ${rule}`))
      assert.match(lineWith(await succeeds(operator.sh(list)), rule), /ENABLED/)
      await eraseNow(world, operator)
      await setDays(world, undefined)
    }
  }),
]
