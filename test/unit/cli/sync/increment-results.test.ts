import { expect, it } from 'vitest'
import { endedIncrement, startedIncrement } from '../../../../cli/sync/results.ts'

const target = { kind: 'stacks', config: undefined, name: 'Shop' } as const
const increment = { entity: 'CL', runId: 'r' }

it.each<[ended: object, ok: boolean, text: string, data: object]>([
  [
    { status: 'published', reason: null, increment: { records: 1200 } },
    true,
    'Delivered 1,200 records of CL. To read them: npx --no-install longshore pull CL --update --name Shop',
    { status: 'published', records: 1200 },
  ],
  [
    { status: 'published', reason: null, increment: { records: 0 } },
    true,
    'Nothing new in CL: the window of increment r is complete.',
    { status: 'published', records: 0 },
  ],
  [
    { status: 'skipped', reason: 'A full sync is in progress.', increment: null },
    false,
    'The increment r of CL ended as skipped: A full sync is in progress.',
    { status: 'skipped', reason: 'A full sync is in progress.' },
  ],
])('the result of %j is its text', (...[ended, ok, text, data]) => {
  const run = { ...increment, ...ended } as never
  expect(endedIncrement(run, target)).toEqual({ ok, text, data: { ...increment, ...data } })
})

it('names the command that shows how an increment ended', () => {
  expect(startedIncrement(increment, target)).toEqual({
    ok: true,
    text: 'Started increment r of CL. To see its result: npx --no-install longshore status --name Shop',
    data: increment,
  })
})
