import { beforeAll, describe, expect, it, vi } from 'vitest'
import { manifestKey } from '../../../stored/snapshots/manifest.ts'
import { deleteForGood } from '../local/delete-for-good.ts'
import { ageWindow } from '../local/increments.ts'
import { failTable } from '../local/tables.ts'
import { succeeds, waiting } from '../local/world.ts'
import { useDeployment } from './deployment.ts'

const deployment = useDeployment()
const {
  deletePage,
  edit,
  failedComparisons,
  followDoctor,
  healthy,
  incrementNotes,
  longshore,
  problems,
  syncAndCompare,
} = deployment

beforeAll(async () => {
  await succeeds(longshore('sync AD --watch'))
  await syncAndCompare()
})

describe('what doctor and status name resolves what they found of tables, increments and comparisons:', () => {
  it('a table failed', async () => {
    await failTable(deployment.world)
    // The comparison of the run reads the same page.
    expect(await followDoctor()).toEqual(['verify AD --repair', 'sync AD --watch'])
    await deployment.world.compared('AD')
    // It stays a problem until the table is there.
    await vi.waitFor(healthy, waiting)
  })

  it('the last increment failed', async () => {
    deployment.world.platform.faults.add({
      match: () => true,
      fault: { kind: 'ignore-filter' },
      times: Infinity,
    })
    expect(await longshore('sync CL --increment --watch')).toMatchObject({ code: 1 })
    deployment.world.platform.faults.clear()
    // The next increment covers its window.
    expect(await followDoctor(await incrementNotes())).toEqual(['sync CL --increment --watch'])
    expect(await incrementNotes()).toEqual([])
  })

  it('the last window of increments is old', async () => {
    await succeeds(longshore('sync CL --increment --watch'))
    await ageWindow(deployment.world, 'CL')
    expect(await followDoctor()).toEqual(['sync CL --increment --watch'])
    await healthy()
  })

  it('the last window of increments is old, because they wait for a full sync', async () => {
    await longshore('changes CL --reset')
    expect(await longshore('sync CL --increment --watch')).toMatchObject({ code: 1 })
    await ageWindow(deployment.world, 'CL')
    expect(await followDoctor()).toEqual(['sync CL --watch'])
    await deployment.world.compared('CL')
    expect(await followDoctor()).toEqual(['sync CL --increment --watch'])
    await healthy()
  })

  it('the last increment was skipped', async () => {
    await longshore('changes CL --reset')
    expect(await longshore('sync CL --increment --watch')).toMatchObject({ code: 1 })
    await healthy()
    expect(await followDoctor(await incrementNotes())).toEqual(['sync CL --watch'])
    await deployment.world.compared('CL')
    expect(await incrementNotes()).toEqual([])
    expect(await longshore('sync CL --increment --watch')).toMatchObject({ code: 0 })
  })

  it('the snapshot that readers of change sets begin with is gone', async () => {
    const { runId } = await deployment.world.lastRun('CL')
    await deleteForGood(deployment.world.bundle.instance.bucket, manifestKey('CL', runId))
    expect(await problems()).toMatchObject([
      { evidence: expect.stringContaining('manifest.json does not exist') as string },
      { evidence: expect.stringContaining(`${runId}) is gone`) as string },
    ])
    expect(await longshore('sync CL --increment --watch')).toMatchObject({ code: 1 })
    expect(await followDoctor()).toEqual(['verify CL --repair', 'sync CL --watch'])
    await deployment.world.compared('CL')
    await healthy()
    expect(await longshore('sync CL --increment --watch')).toMatchObject({ code: 0 })
  })

  it('increments missed a change', async () => {
    // The index did not have it when its window was read.
    edit(0, { updatedIn: new Date(Date.now() - 10 * 60_000).toISOString() })
    await syncAndCompare()
    expect(await problems()).toMatchObject([
      { evidence: expect.stringContaining('that increments missed') as string },
    ])
    expect(await followDoctor()).toEqual(['sync CL --watch'])
    await deployment.world.compared('CL')
    await healthy()
  })

  it('increments cannot see a change', async () => {
    expect(await longshore('sync CL --increment --watch')).toMatchObject({ code: 0 })
    edit(1, { updatedIn: null })
    await syncAndCompare()
    const [found] = await incrementNotes()
    expect(found).toMatchObject({
      level: 'note',
      action: expect.stringContaining('Sync CL as often') as string,
    })
    await syncAndCompare()
    expect(await incrementNotes()).toEqual([])
  })

  it('comparisons fail because a page of their base is gone', async () => {
    await deletePage((await deployment.world.lastRun('CL')).runId)
    edit(2, { updatedIn: new Date().toISOString() })
    await longshore('sync CL --watch')
    await failedComparisons(1)
    expect(await followDoctor()).toEqual(['verify CL --repair', 'changes CL --reset'])
    await syncAndCompare()
    await healthy()
  })
})
