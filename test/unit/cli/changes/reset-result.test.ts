import { expect, it } from 'vitest'
import { resetResult } from '../../../../cli/changes/reset-result.ts'

it('explains what a reset changes and how to have it now', () => {
  const requested = { entity: 'CL', tip: 'r', reset: 'An operator requested the reset.' }
  expect(resetResult(requested, { kind: 'stacks', config: undefined, name: 'Shop' })).toEqual({
    ok: true,
    text: 'The next change set of CL is a reset, so its readers load the snapshot. Until then the tip stays at run r. To publish the reset now: npx --no-install longshore sync CL --watch --name Shop',
    data: requested,
  })
})
