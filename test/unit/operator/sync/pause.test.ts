import { userInfo } from 'node:os'
import { expect, it } from 'vitest'
import type { Deployment } from '../../../../operator/deployment/deployment.ts'
import { pauseEntity, resumeEntity } from '../../../../operator/sync/pause.ts'
import { openState } from '../../../../operator/sync/syncs.ts'
import { useStores } from '../../../embedded-bucket.ts'
import { entityNamed } from '../../../entity-named.ts'

useStores('bucket', 'table')

const minute = 60_000
const start = Date.parse('2026-11-21T12:00:00Z')
const iso = (minutes: number) => new Date(start + minutes * minute).toISOString()

/** An entity of `npm start`, whose clock shows so many minutes after the start. */
function at(minutes: number, entity: string) {
  const entities = ['CL', 'AD', 'OR'].map((name) => entityNamed(name))
  const configuration = { entities: [...entities, entityNamed('XX', { enabled: false })] }
  const deployment = { kind: 'local', configuration, table: 'table', now: () => start + minutes * minute }
  return {
    deployment: deployment as unknown as Deployment,
    target: { kind: 'local', path: 'f' },
    entity,
  } as const
}

const pauseOf = async (entity: string) => (await openState('table').readEntity(entity)).pause
const by = userInfo().username

it('keeps since when an entity is paused if its pause is replaced, and begins again after its end', async () => {
  const first = { by, since: iso(0), reason: null, until: iso(60) }
  expect(await pauseEntity(at(0, 'CL'), { until: '1h' })).toEqual({
    pause: first,
    before: undefined,
    enabled: [],
  })
  const second = { by, since: iso(0), reason: 'moved', until: iso(70) }
  expect(await pauseEntity(at(10, 'CL'), { until: '1h', reason: ' moved ' })).toEqual({
    pause: second,
    before: first,
    enabled: [],
  })
  expect(await pauseOf('CL')).toEqual(second)
  const third = { by, since: iso(70), reason: null, until: null }
  expect(await pauseEntity(at(70, 'CL'), {})).toEqual({ pause: third, before: undefined, enabled: [] })
})

it('ends a pause, whose end stays known, and leaves one that is over', async () => {
  await pauseEntity(at(0, 'AD'), { until: '1h' })
  const { before, pause } = await resumeEntity(at(20, 'AD'))
  expect([before?.until, pause]).toEqual([iso(60), undefined])
  expect(await pauseOf('AD')).toMatchObject({ since: iso(0), until: iso(20) })
  expect((await resumeEntity(at(30, 'AD'))).before).toBeUndefined()
  expect(await pauseOf('AD')).toMatchObject({ until: iso(20) })
})

it('takes a reason of 200 characters, and stores no longer one', async () => {
  const reason = (length: number) => ({ reason: 'x'.repeat(length) })
  await expect(pauseEntity(at(0, 'OR'), reason(201))).rejects.toThrow(
    '--reason: the text has 201 characters.',
  )
  expect(await pauseOf('OR')).toBeUndefined()
  expect((await pauseEntity(at(0, 'OR'), reason(200))).pause).toMatchObject(reason(200))
})

it('pauses no entity without a schedule', async () => {
  await expect(pauseEntity(at(0, 'XX'), {})).rejects.toThrow('XX')
  await expect(pauseEntity(at(0, 'ZZ'), {})).rejects.toThrow('ZZ')
})
