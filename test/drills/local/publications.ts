import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, vi } from 'vitest'
import { makeDocuments } from '../../../local/stand-in/documents.ts'
import { drill } from '../drill.ts'
import { longshoreArgs } from '../page-commands.ts'
import { commandsOf, queriesOf, situation } from '../pages.ts'
import { objectsWith } from '../stored-content.ts'
import { deleteForGood } from './delete-for-good.ts'
import { expectHealthy, expectLogged, type LocalDrill, type LocalWorld, succeeds, waiting } from './world.ts'

const documents = makeDocuments(200)

/** The platform loses most of CL, and a run is refused. */
async function shrink({ platform, longshore, lastRun }: LocalWorld): Promise<string> {
  platform.documents.set('CL', documents.slice(0, 80))
  expect(await longshore('sync CL --watch')).toMatchObject({ code: 1 })
  return (await lastRun('CL')).runId
}

/** The next drill begins with all documents. */
async function restore({ platform, longshore, compared }: LocalWorld): Promise<void> {
  platform.documents.set('CL', documents)
  await succeeds(longshore('sync CL --watch'))
  await compared('CL')
}

const refused = situation('runbook', 'run-refused')
const argsOf = (text: string, runId: string) =>
  longshoreArgs(commandsOf(text, { ENTITY: 'CL', RUN_ID: runId, CL: 'CL' }))

/** Publications that are refused, that fail, or that must be reverted. */
export const publicationDrills: LocalDrill[] = [
  drill('runbook', ['run-refused', 'the loss is a mistake of the platform'], async (world) => {
    await restore(world)
    const runId = await shrink(world)
    return async (operator) => {
      const [review = ''] = argsOf(refused.text, runId)
      expect((await succeeds(operator.longshore(review))).stdout).toContain('120')
      world.platform.documents.set('CL', documents)
      await succeeds(operator.longshore('sync CL --watch'))
      await expectLogged(operator, 'Ended runs', { entity: 'CL', status: 'published' })
      await expectHealthy(operator)
    }
  }),
  drill('runbook', ['run-refused', 'the loss is correct'], async (world) => {
    await world.compared('CL')
    const runId = await shrink(world)
    return async (operator) => {
      const [review = ''] = argsOf(refused.text, runId)
      await succeeds(operator.longshore(review))
      const [, accept = ''] = argsOf(refused.text, runId)
      await succeeds(operator.longshore(`${accept} --yes`))
      await expectLogged(operator, 'Ended runs', { runId, status: 'published' })
    }
  }),
  drill('runbook', 'changes-refused', async (world) => {
    // The previous drill accepted the loss of 120 documents. The change set has a guard of its own.
    const section = situation('runbook', 'changes-refused')
    const { runId } = await world.lastRun('CL')
    const [review = ''] = argsOf(section.text, runId)
    await vi.waitFor(
      async () => expect(await world.longshore(review)).toMatchObject({ code: 0, stderr: '' }),
      waiting,
    )
    return async (operator) => {
      expect((await succeeds(operator.longshore(review))).stdout).toContain('120')
      const [, accept = ''] = argsOf(section.text, runId)
      await succeeds(operator.longshore(`${accept} --yes`))
      const [query = 'Crashes'] = queriesOf(section.text)
      await vi.waitFor(
        async () => expect((await world.query(query))[0]).toMatchObject({ runId, status: 'published' }),
        waiting,
      )
      await expectHealthy(operator)
    }
  }),
  drill('runbook', ['run-refused', 'the review names the command'], async (world) => {
    await restore(world)
    await shrink(world)
    return async (operator) => {
      const [review = ''] = argsOf(refused.text, '')
      const { stdout } = await succeeds(operator.longshore(review))
      // What to do next is in the runbook, and the review names the command.
      const [, accept = ''] = /longshore (accept \S+)/.exec(stdout) ?? []
      await succeeds(operator.longshore(`${accept} --yes`))
      const { runId } = await world.lastRun('CL')
      await vi.waitFor(async () => succeeds(world.longshore(`review ${runId}`)), waiting)
      await succeeds(operator.longshore(`${accept} --yes`))
      await world.compared('CL')
      await expectHealthy(operator)
    }
  }),
  drill('runbook', 'changes-failed', async (world) => {
    await restore(world)
    // A page of the base is deleted by hand.
    const { runId } = await world.lastRun('CL')
    await deleteForGood(world.bundle.instance.bucket, `snapshots/CL/${runId}/a1`)
    world.platform.documents.set('CL', documents.slice(1))
    await succeeds(world.longshore('sync CL --watch'))
    const failed = async () =>
      expect((await world.query('Ended comparisons'))[0]).toMatchObject({ status: 'failed' })
    await vi.waitFor(failed, waiting)
    return async (operator) => {
      const section = situation('runbook', 'changes-failed')
      const [query = 'Crashes'] = queriesOf(section.text)
      const [ended] = await operator.query(query)
      // The reason names the object.
      expect(ended?.['reason']).toContain(`snapshots/CL/${runId}/a1`)
      const [repair = '', ...startAgain] = argsOf(section.text, '')
      expect(await operator.longshore(repair)).toMatchObject({
        code: 1,
        stdout: expect.stringContaining('; no older version is intact') as string,
      })
      for (const args of startAgain) await succeeds(operator.longshore(args))
      await world.compared('CL')
      await expectLogged(operator, 'Ended comparisons', { status: 'published' })
      await expectHealthy(operator)
    }
  }),
  drill('operate', 'Roll back to an older snapshot', async (world) => {
    await restore(world)
    const { runId } = await world.lastRun('CL')
    const [first = Buffer.alloc(0), ...rest] = documents
    const { id } = JSON.parse(String(first))
    world.platform.documents.set('CL', [Buffer.from(`{"id":"${id}","mistake":true}`), ...rest])
    await succeeds(world.longshore('sync CL --watch'))
    await world.compared('CL')
    return async (operator) => {
      const { text } = situation('operate', 'Roll back to an older snapshot')
      const [pause = '', runs = '', republish = ''] = argsOf(text, runId)
      await succeeds(operator.longshore(pause))
      expect((await succeeds(operator.longshore(runs))).stdout).toContain(runId)
      await succeeds(operator.longshore(`${republish} --yes`))
      await world.compared('CL')
      const file = join(world.folder, 'republished.ndjson')
      await succeeds(operator.longshore(`pull CL -o ${file}`))
      expect(readFileSync(file, 'utf8')).not.toContain('mistake')
      world.platform.documents.set('CL', documents)
      await succeeds(operator.longshore('resume CL'))
      await expectHealthy(operator)
    }
  }),
  drill('erasure', 'Erase at once', async (world) => {
    await restore(world)
    const [erased = Buffer.alloc(0), ...others] = documents
    const { id, email } = JSON.parse(String(erased))
    // An increment delivers a version, and a run is refused.
    const renamed = {
      ...JSON.parse(String(erased)),
      firstName: 'Renamed',
      // The platform's clock shows whole seconds, and a window ends there.
      updatedIn: new Date(Date.now() - 2_000).toISOString(),
    }
    world.platform.documents.set('CL', [Buffer.from(JSON.stringify(renamed)), ...others])
    await succeeds(world.longshore('sync CL --increment --watch'))
    await shrink(world)
    world.platform.documents.set('CL', others)
    return async (operator) => {
      const { text } = situation('erasure', 'Erase at once')
      const [sync = '', byId = '', byField = ''] = argsOf(text, '')
      const filled = byField.replace('ann@example.com', email)
      expect(await operator.longshore(`${filled} --yes`)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('The published snapshot of CL') as string,
      })
      await succeeds(operator.longshore(sync))
      await world.compared('CL')
      expect((await operator.longshore(filled)).stdout).toContain('Nothing was erased.')
      const { stdout } = await succeeds(operator.longshore(`${filled} --yes --json`))
      expect(JSON.parse(stdout)).toMatchObject({
        ids: [JSON.stringify(id)],
        chain: 'reset',
        removed: { left: 0 },
      })
      expect(await objectsWith({ bucket: world.bundle.instance.bucket, entity: 'CL' }, [id, email])).toEqual(
        [],
      )
      const again = await succeeds(operator.longshore(byId.replace('client-17', id)))
      expect(again.stdout).toContain(`Nothing contains the document ${id}.`)
      // The chain starts again.
      await succeeds(operator.longshore(sync))
      await world.compared('CL')
      world.platform.documents.set('CL', documents)
      await expectHealthy(operator)
    }
  }),
]
