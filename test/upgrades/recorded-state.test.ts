import { describe, expect, it } from 'vitest'
import { unpack } from '../../functions/proxy/idempotency/stored-response.ts'
import type { EntitySettings } from '../../functions/runtime/settings.ts'
import { createSyncs } from '../../functions/syncs/syncs.ts'
import type { UpgradeDeployment } from './deployment.ts'
import { type Execution, type Recording, recordings, restore } from './recording.ts'

const dayMs = 24 * 60 * 60 * 1000
const entityOf = ({ Input }: Execution) => (Input as { readonly entity: string }).entity

/** The value of a string attribute in every recorded item whose sort key starts like this. */
const recorded = ({ items }: Recording, sortKey: string, attribute: string) =>
  (items as Record<string, { readonly S: string } | undefined>[])
    .filter((item) => item['sk']?.S.startsWith(sortKey))
    .map((item) => item[attribute]?.S ?? '')
    .toSorted()

const keysOf = ({ objects }: Recording, pattern: RegExp) =>
  Object.keys(objects).flatMap((key) =>
    [pattern.exec(key)?.slice(1) ?? []].filter(({ length }) => length > 0),
  )

function openSyncs({ entities, stores: { state }, now }: UpgradeDeployment) {
  const executions = { arnOf: async () => '', start: async () => true, stop: async () => {} }
  return createSyncs({ settings: { entities }, state, executions, log: () => undefined, now: () => now })
}

describe.each(recordings())('today’s code, deployed over version %s', (version, recording) => {
  it('lists every run with its status', async () => {
    const { entities } = await openSyncs(await restore(recording)).list()
    const statuses = entities.flatMap(({ runs }) => runs.map(({ status }) => status))
    expect(statuses.toSorted()).toEqual(recorded(recording, 'run#', 'status'))
    expect(entities.every(({ snapshot }) => snapshot)).toBe(true)
  })

  it('reads every manifest and every chain of change sets', async () => {
    const { snapshots, changes } = (await restore(recording)).stores
    const published = keysOf(recording, /^snapshots\/(.+)\/(.+)\/manifest\.json$/)
    expect(published.length).toBeGreaterThan(recording.entities.length)
    for (const [entity = '', runId = ''] of published)
      expect(await snapshots.readManifest(entity, runId)).toMatchObject({ entity, runId })
    const sets = keysOf(recording, /^changes\/(.+)\/(.+)\/manifest\.json$/)
    expect(sets.length).toBeGreaterThan(recording.entities.length)
    for (const [entity = '', runId = ''] of sets)
      expect(await changes.readManifest(entity, runId)).toMatchObject({ value: { entity, runId } })
    for (const { name } of recording.entities)
      expect((await changes.readLatest(name))?.value.sets.length).toBeGreaterThan(0)
  })

  it.each(recording.executions.map((execution) => [entityOf(execution), execution] as const))(
    'continues the run of %s where it stopped, until it is published',
    async (entity, execution) => {
      const deployment = await restore(recording)
      const before = recorded(recording, 'run#', 'runId')
      expect(await deployment.execute(execution)).toMatchObject({ status: 'SUCCEEDED' })
      const { snapshots, changes } = deployment.stores
      const runId = (await snapshots.readLatest(entity))?.value.runId ?? ''
      expect(before).toContain(runId)
      expect(await openSyncs(deployment).readRun(entity, runId)).toMatchObject({ status: 'published' })
      const manifest = await snapshots.readManifest(entity, runId)
      const documents = recording.platform.documents[entity] ?? []
      expect(manifest).toMatchObject({ proof: 'exact', uniqueIds: documents.length })
      const pages = manifest?.pages.map(({ key }) => key) ?? []
      expect(
        pages.filter((key) => key in recording.objects).length,
        'pages of the older version',
      ).toBeGreaterThan(0)
      expect((await changes.readLatest(entity))?.value.tip).toBe(runId)
    },
  )

  it('continues comparisons', async () => {
    const deployment = await restore(recording)
    expect(recording.comparisons.length).toBeGreaterThan(0)
    for (const event of recording.comparisons)
      expect(await deployment.compare(event)).toMatchObject({ status: 'published', created: 1, deleted: 1 })
  })

  it('publishes a new snapshot of every entity, and compares it with the recorded one', async () => {
    const deployment = await restore(recording)
    for (const { name } of recording.entities.filter(({ name }) => name !== 'Damaged')) {
      const tip = (await deployment.stores.changes.readLatest(name))?.value.tip
      const kept = recording.platform.documents[name]?.slice(1) ?? []
      deployment.setDocuments(name, [...kept, '{"id":"new","createdIn":"2030-02-01T00:00:00Z"}'])
      deployment.now += dayMs
      const started = { Id: `new-${name}`, Name: name, StartTime: new Date(deployment.now).toISOString() }
      const Input = { entity: name, acceptShrink: true, acceptDeletes: true }
      expect(await deployment.execute({ ...started, Input })).toMatchObject({ status: 'SUCCEEDED' })
      const set = (await deployment.stores.changes.readLatest(name))?.value.sets.at(-1)
      expect(set).toMatchObject({ kind: 'changes', base: tip })
      const { created, deleted } = set && set.kind !== 'increment' ? set : { created: 0, deleted: 0 }
      expect(created).toBeGreaterThan(0)
      expect(deleted).toBeGreaterThan(0)
    }
  })

  it('publishes increments once they are switched on, and again after they were off', async () => {
    const deployment = await restore(recording)
    const { name } = recording.entities.find((entity) => entity.name !== 'Damaged' && entity.changes) ?? {}
    if (!name) throw new Error('The recording has no entity with change sets.')
    const { changes } = deployment.stores
    let started = 0
    const run = async (input: object) => {
      deployment.now += 5 * 60_000
      const execution = { Id: `${++started}`, Name: name, StartTime: new Date(deployment.now).toISOString() }
      return deployment.execute({ ...execution, Input: { entity: name, ...input } })
    }
    const configured = deployment.entities
    const switchIncrements = (increments: EntitySettings['increments']) => {
      deployment.entities = configured.map((entity) => ({ ...entity, increments }))
    }
    const documents = () => (deployment.platform.documents.get(name) as Buffer[]).map(String)
    const add = (id: string) =>
      deployment.setDocuments(name, [
        ...documents(),
        JSON.stringify({ id, createdIn: new Date(deployment.now).toISOString(), updatedIn: null }),
      ])
    deployment.now += dayMs
    await run({ acceptShrink: true, acceptDeletes: true })
    const chain = async () => (await changes.readLatest(name))?.value
    const sets: string[] = []
    for (const increments of [{ schedule: 'rate(5 minutes)', lookbackMinutes: 60 }, undefined]) {
      switchIncrements({ schedule: 'rate(5 minutes)', lookbackMinutes: 60 })
      add(`on-${started}`)
      await run({ increment: true })
      sets.push((await chain())?.sets.at(-1)?.kind ?? '')
      switchIncrements(increments)
      add(`off-${started}`)
      await run({})
      sets.push((await chain())?.sets.at(-1)?.kind ?? '')
    }
    expect(sets).toEqual(['increment', 'changes', 'increment', 'changes'])
    expect((await chain())?.sets.at(-1)).toMatchObject({ created: 1, updated: 0, deleted: 0 })
  })

  it('continues increments from the last window', async () => {
    const deployment = await restore(recording)
    const incremented = recording.entities.filter(({ increments }) => increments)
    expect(incremented.length).toBe(version === '1.0.0' ? 0 : 1)
    for (const { name } of incremented) {
      const { changes, state } = deployment.stores
      const { increments: before } = await state.readEntity(name)
      const tip = (await changes.readLatest(name))?.value.tip
      deployment.now += 5 * 60_000
      const createdIn = new Date(deployment.now - 2_000).toISOString()
      const kept = recording.platform.documents[name] ?? []
      deployment.setDocuments(name, [...kept, JSON.stringify({ id: 'new', createdIn, updatedIn: null })])
      const started = { Id: name, Name: name, StartTime: new Date(deployment.now).toISOString() }
      const Input = { entity: name, increment: true }
      expect(await deployment.execute({ ...started, Input })).toMatchObject({ status: 'SUCCEEDED' })
      // What the older version delivered is not delivered again.
      const set = (await changes.readLatest(name))?.value.sets.at(-1)
      expect(set).toMatchObject({ kind: 'increment', base: tip, records: 1 })
      const { increments: after } = await state.readEntity(name)
      expect(Date.parse(after?.window?.to ?? '')).toBeGreaterThan(Date.parse(before?.window?.to ?? ''))
    }
  })

  it('counts the failed comparisons of the older version when it resets a chain', async () => {
    const deployment = await restore(recording)
    const chainOf = async () => (await deployment.stores.changes.readLatest('Damaged'))?.value
    const before = await chainOf()
    expect(before?.failures).toMatchObject({ count: 1 })
    for (const day of [1, 2, 3]) {
      expect((await chainOf())?.tip).toBe(before?.tip)
      deployment.now += dayMs
      const started = {
        Id: `day-${day}`,
        Name: `day-${day}`,
        StartTime: new Date(deployment.now).toISOString(),
      }
      expect(await deployment.execute({ ...started, Input: { entity: 'Damaged' } })).toMatchObject({
        status: 'SUCCEEDED',
      })
    }
    expect((await chainOf())?.sets).toMatchObject([{ kind: 'reset', base: null }])
    expect((await chainOf())?.tip).not.toBe(before?.tip)
  })

  it('repeats the stored response to an idempotent request', async () => {
    const { stores, now } = await restore(recording)
    const repeat = { kind: 'running', fingerprint: 'f', owner: 'another', until: now } as const
    for (const kind of ['running', 'unknown', 'completed', 'completed-too-large']) {
      const stored = await stores.responses.begin(kind, repeat, now)
      expect(stored).toMatchObject({ kind, fingerprint: 'f', owner: 'o' })
    }
    const completed = await stores.responses.begin('completed', repeat, now)
    expect(completed?.kind === 'completed' && unpack(completed.response)).toMatchObject({ statusCode: 200 })
  })
})
