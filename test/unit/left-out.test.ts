import { describe, expect, it } from 'vitest'
import { leftOut } from '../left-out.ts'

const projects = [
  { name: 'unit', about: 'checks decisions' },
  { name: 'browser', about: 'operates the console', needs: 'Chromium' },
]

describe('a run of tests reports', () => {
  it('nothing if it left nothing out', () => {
    expect(leftOut({ projects, ran: ['unit', 'browser'], skipped: [] })).toEqual([])
  })

  it('the projects that it did not run, and the command that runs them', () => {
    expect(leftOut({ projects, ran: ['unit'], skipped: [] })).toEqual([
      'Not run. `npm run test:all` runs it:',
      '  browser       operates the console',
      '  lint          tsc, Biome, oxlint and knip',
    ])
  })

  it('the files whose tests were skipped, and what their project needs', () => {
    const skipped = [
      { project: 'browser', file: 'test/browser/a.test.ts', tests: 2 },
      { project: 'unit', file: 'test/unit/b.test.ts', tests: 1 },
    ]
    expect(leftOut({ projects, ran: ['unit', 'browser'], skipped })).toEqual([
      'Skipped:',
      '  test/browser/a.test.ts: 2 tests. browser needs Chromium.',
      '  test/unit/b.test.ts: 1 test',
    ])
  })
})
