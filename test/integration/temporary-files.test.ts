import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { StepContext } from '../../functions/worker/context.ts'
import { type Platform, startPlatform } from '../../local/stand-in/platform.ts'
import { fingerprintBytes } from '../../stored/documents/fingerprint.ts'
import { splitPageInPlace } from '../../stored/documents/split.ts'
import { openFiles } from '../open-files.ts'
import { type EmbeddedStores, startEmbeddedStores } from './embedded-stores.ts'
import { entitySettings, syncWorld } from './sync-world.ts'

const entity = 'CL'
let stores: EmbeddedStores
let platform: Platform
beforeAll(async () => {
  stores = await startEmbeddedStores()
  platform = await startPlatform({ documents: {} })
})
afterAll(() => Promise.all([platform.close(), stores.close()]))

describe.skipIf(process.platform !== 'linux')('temporary files', () => {
  const openTemporaryFiles = () => openFiles('/longshore-')
  /** More documents than memory takes of those whose fingerprints begin with the same byte. */
  const alike = () => {
    const candidates = Array.from({ length: 100_000 }, (_, index) => `{"id":"${index}"}`)
    const { fingerprints } = splitPageInPlace(Buffer.from(`[${candidates.join()}]`), 'id')
    return candidates.filter((_, index) => fingerprints[index * fingerprintBytes] === 0)
  }

  it('disappear with the worker that created them, whether it is killed or publishes', async () => {
    const documents = alike()
    expect(documents.length).toBeGreaterThan(257)
    platform.documents.set(
      entity,
      documents.map((document) => Buffer.from(document)),
    )
    const {
      world: base,
      callWorker,
      request,
      sync,
    } = syncWorld({ stores, platform }, [entitySettings(entity, { pageSize: 100 })])
    const whileTheyWork: number[] = []
    const snapshots: StepContext['snapshots'] = {
      ...base.snapshots,
      async putPage(...page) {
        whileTheyWork.push(openTemporaryFiles().length)
        return base.snapshots.putPage(...page)
      },
    }
    const publisher: StepContext['publisher'] = {
      ...base.publisher,
      async publish() {
        throw new Error('the worker was killed')
      },
    }
    const asked = request(entity)
    await expect(callWorker(asked, { using: { ...base, snapshots, publisher } })).rejects.toThrow('killed')
    expect(openTemporaryFiles()).toEqual([])
    expect(await sync(entity, { request: asked })).toMatchObject({
      status: 'published',
      documents: documents.length,
    })
    expect(openTemporaryFiles()).toEqual([])
    expect(whileTheyWork.length).toBe(Math.ceil(documents.length / 100))
    expect(whileTheyWork.at(-1)).toBe(1)
  })
})
