import { describe, expect, it } from 'vitest'
import { builtFunction } from '../../local/built-function.ts'
import { invoke } from '../../local/lambda.ts'
import { useStandInBundle } from './stand-in-bundle.ts'

useStandInBundle({ pageSize: 10 })

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
