import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { resolveConfig } from '../../lib/config.ts'
import { type Bundle, builtFunction } from '../../local/bundle.ts'
import { invoke } from '../../local/lambda.ts'
import { makeDocuments } from '../../local/stand-in/documents.ts'
import { type Platform, startPlatform } from '../../local/stand-in/platform.ts'
import { startStandInBundle } from './stand-in-bundle.ts'

let platform: Platform
let bundle: Bundle
beforeAll(async () => {
  platform = await startPlatform({ documents: { CL: makeDocuments(50) } })
  const entities = [{ name: 'CL', schedule: 'rate(1 day)', pageSize: 10 }]
  const configuration = resolveConfig({ upstream: { baseUrl: 'https://shop.example.com' }, entities })
  bundle = await startStandInBundle(configuration, platform)
})
afterAll(async () => {
  await bundle?.close('delete-log')
  await platform?.close()
})

/** Invokes a built function whose time limit is this far away. */
const call = (name: 'worker' | 'compare', seconds: number) =>
  invoke(builtFunction(name), { entity: 'CL' }, seconds)

describe('a minute before its time limit', () => {
  it('the worker hands off, and the next one continues', async () => {
    expect(await call('worker', 60)).toMatchObject({ status: 'running' })
    expect(await call('worker', 120)).toMatchObject({ status: 'published' })
  })

  it('the comparison fails with a reason, and is computed with more time', async () => {
    const tooLarge = expect.stringContaining('too large to be compared in one invocation')
    expect(await call('compare', 60)).toMatchObject({ status: 'failed', reason: tooLarge })
    expect(await call('compare', 120)).toMatchObject({ status: 'published' })
  })
})
