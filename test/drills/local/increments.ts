import { UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import { expect } from 'vitest'
import { awsClients } from '../../../operator/aws/clients.aws.ts'
import { drill } from '../drill.ts'
import { longshoreArgs } from '../page-commands.ts'
import { commandsOf, queriesOf, situation } from '../pages.ts'
import type { LocalDrill, LocalWorld } from './world.ts'
import { expectHealthy, expectLogged, problemsOf, succeeds } from './world.ts'

const section = situation('runbook', 'increments-stale')
const args = longshoreArgs(commandsOf(section.text, { ENTITY: 'CL' }))
const increment = 'sync CL --increment --watch'
/** Longer than any entity of the drills allows. */
const oldMs = 2 * 60 * 60_000

/** Moves the end of an entity's last window back, as if no increment had succeeded for long. */
export async function ageWindow({ bundle }: Pick<LocalWorld, 'bundle'>, entity: string): Promise<void> {
  const at = (ms: number) => ({ S: new Date(Date.now() - ms).toISOString() })
  const table = awsClients.table()
  // An age counts from when the schedule was first seen, if that is later.
  await bundle.look()
  await table.send(
    new UpdateItemCommand({
      TableName: bundle.instance.table,
      Key: { pk: { S: 'freshness' }, sk: { S: 'watched' } },
      UpdateExpression: 'SET watched.#increments.since = :since',
      ExpressionAttributeNames: { '#increments': `${entity}#increments` },
      ExpressionAttributeValues: { ':since': at(2 * oldMs) },
    }),
  )
  await table.send(
    new UpdateItemCommand({
      TableName: bundle.instance.table,
      Key: { pk: { S: `entity#${entity}` }, sk: { S: 'entity' } },
      UpdateExpression: 'SET increments.#window = :window',
      ExpressionAttributeNames: { '#window': 'window' },
      ExpressionAttributeValues: { ':window': { M: { from: at(2 * oldMs), to: at(oldMs) } } },
    }),
  )
  table.destroy()
}

/** Increments that end badly for hours. */
export const incrementDrills: LocalDrill[] = [
  drill('runbook', ['increments-stale', 'they are skipped until a full sync'], async (world) => {
    await succeeds(world.longshore('sync CL --watch'))
    await world.compared('CL')
    await succeeds(world.longshore(increment))
    await succeeds(world.longshore('changes CL --reset'))
    expect(await world.longshore(increment)).toMatchObject({ code: 1 })
    await ageWindow(world, 'CL')
    return async (operator) => {
      const [ended = 'Crashes'] = queriesOf(section.text)
      const reason: unknown = expect.stringContaining('start again')
      await expectLogged(operator, ended, { entity: 'CL', status: 'skipped', reason })
      expect(await problemsOf(operator)).toMatchObject([
        { evidence: expect.stringContaining('start again') as string },
      ])
      expect(args).toEqual(['sync CL --watch', increment])
      const [full = '', again = ''] = args
      await succeeds(operator.longshore(full))
      await world.compared('CL')
      await succeeds(operator.longshore(again))
      await expectLogged(operator, ended, { entity: 'CL', status: 'published' })
      await expectHealthy(operator)
    }
  }),
  drill('runbook', ['increments-stale', 'the platform ignored the filter for a while'], async (world) => {
    await succeeds(world.longshore(increment))
    const ignore = { kind: 'ignore-filter' } as const
    world.platform.faults.add({ match: () => true, fault: ignore, times: Infinity })
    expect(await world.longshore(increment)).toMatchObject({ code: 1 })
    await ageWindow(world, 'CL')
    return async (operator) => {
      const [ended = 'Crashes'] = queriesOf(section.text)
      const [line] = await operator.query(ended)
      expect(line?.['reason']).toContain('ignores the filter')
      expect(situation('increments', 'Troubleshooting').text).toContain('ignores the filter')
      world.platform.faults.clear()
      await succeeds(operator.longshore(args.at(-1) ?? ''))
      await expectHealthy(operator)
    }
  }),
]
