import { expect, vi } from 'vitest'
import { makeDocuments } from '../../../local/stand-in/documents.ts'
import { onScroll } from '../../../local/stand-in/faults.ts'
import { drill } from '../drill.ts'
import { queriesOf, situation } from '../pages.ts'
import { objectsWith } from '../stored-content.ts'
import { deleteForGood } from './delete-for-good.ts'
import type { LocalDrill, LocalWorld } from './world.ts'
import { expectHealthy, expectLogged, problemsOf, succeeds, waiting } from './world.ts'

const section = situation('runbook', 'table-failed')

/**
 * Publishes a snapshot of AD whose first page is deleted before its table is made, and waits until the table has failed.
 * Returns the key of the page.
 */
export async function failTable(world: LocalWorld): Promise<string> {
  const { platform, bundle, longshore, query } = world
  const slow = { kind: 'slow', beforeHeadersMs: 1_500 } as const
  platform.faults.add({ match: onScroll({ entity: 'AD' }), fault: slow, times: Infinity })
  await succeeds(longshore('sync AD'))
  const { runId } = await world.lastRun('AD')
  const { bucket } = bundle.instance
  const folder = `snapshots/AD/${runId}/`
  // Its pages are checked then. The comparison and the table follow.
  const key = await vi.waitFor(() => deleteForGood(bucket, `${folder}a1`, `${folder}manifest.json`), {
    ...waiting,
    interval: 2,
  })
  platform.faults.clear()
  await vi.waitFor(
    async () => expect((await query('Ended tables'))[0]).toMatchObject({ runId, status: 'failed' }),
    waiting,
  )
  return key
}

/** Tables that cannot be made. */
export const tableDrills: LocalDrill[] = [
  drill('runbook', ['table-failed', 'a page cannot be restored'], async (world) => {
    const key = await failTable(world)
    return async (operator) => {
      const [ended = 'Crashes'] = queriesOf(section.text)
      const [line] = await operator.query(ended)
      // The reason names the object.
      expect(line).toMatchObject({ entity: 'AD', reason: expect.stringContaining(key) as string })
      expect(section.text).toContain('If it cannot be restored, start a sync')
      expect(await problemsOf(operator)).not.toEqual([])
      await succeeds(operator.longshore('sync AD --watch'))
      await expectLogged(operator, ended, { entity: 'AD', status: 'published' })
      await world.compared('AD')
      await expectHealthy(operator)
    }
  }),
  drill('erasure', ['Erase at once', 'from a table'], async (world) => {
    const documents = makeDocuments(20)
    const { id, email } = JSON.parse(String(documents[3])) as { id: string; email: string }
    const of = { bucket: world.bundle.instance.bucket, entity: 'AD' }
    await succeeds(world.longshore('sync AD --watch'))
    await tableOfLastRun(world)
    expect((await objectsWith(of, [email])).join()).toContain('.parquet')
    world.platform.documents.set(
      'AD',
      documents.filter((_, index) => index !== 3),
    )
    return async (operator) => {
      await succeeds(operator.longshore('sync AD --watch'))
      await world.compared('AD')
      await tableOfLastRun(world)
      const { stdout } = await succeeds(operator.longshore(`erase AD --where email=${email} --yes --json`))
      const { found } = JSON.parse(stdout) as { found: { kind: string }[] }
      expect(found.map(({ kind }) => kind)).toContain('table')
      expect(await objectsWith(of, [id, email])).toEqual([])
      // The table of the published snapshot stays.
      expect(JSON.parse((await succeeds(operator.longshore('table AD --json'))).stdout)).toMatchObject({
        table: { rows: 19 },
      })
      world.platform.documents.set('AD', documents)
      await succeeds(operator.longshore('sync AD --watch'))
      await world.compared('AD')
      await tableOfLastRun(world)
      await expectHealthy(operator)
    }
  }),
]

/** Waits until the table of AD has the rows of its last run. */
async function tableOfLastRun(world: LocalWorld): Promise<void> {
  const { runId } = await world.lastRun('AD')
  const isCurrent = async () =>
    expect(JSON.parse((await world.longshore('table AD --json')).stdout)).toMatchObject({ table: { runId } })
  await vi.waitFor(isCurrent, waiting)
}
